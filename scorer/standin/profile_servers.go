package standin

import "net/http"

// profiles are kinds of servers with the quirks that are documented of them: by their
// vendors, in their source or in their issues, as of November 2026. None is the server.
var profiles = map[string]profile{
	// gpt-6-luna: it samples as asked only where it does not think.
	"openai": {rules: openaiRules(), think: thinking{off: effortNone, tokens: 200}},
	"azure": {
		rules: append(openaiRules(),
			refused(tierFlex, "service_tier", "service_tier flex is not supported with this model"),
			rule{marks("filter this prompt"), apiError{status: http.StatusBadRequest, code: "content_filter", param: "prompt",
				text: "The response was filtered due to the prompt triggering the content management policy."}},
		),
		think: thinking{off: effortNone, tokens: 200},
	},
	"ollama": {
		serve: func(q *chatRequest) {
			q.n = 1
			q.limit = int(q.raw.Get("max_tokens").Int())
			cutPrompt(q, 4096)
		},
		think: thinking{off: effortNone, field: "reasoning", tokens: 120},
	},
	"vllm": {
		rules: []rule{refused(severalGreedily, "", "n must be 1 when using greedy sampling")},
		fault: flatFault,
		think: thinking{off: effortNone, field: "reasoning", tokens: 120},
	},
	"llamacpp": {
		rules: []rule{{several, apiError{status: http.StatusInternalServerError, kind: "server_error", text: "Only one completion choice is allowed"}}},
		fault: numberedFault, anyModel: true,
	},
	"lmstudio": {
		rules: []rule{refused(format("json_object"), "", "'response_format.type' must be 'json_schema' or 'text'")},
		fault: textFault,
		serve: func(q *chatRequest) { q.n = 1 },
	},
	"litellm": { // with drop_params
		serve: func(q *chatRequest) { q.n, q.format = 1, "" },
	},
	"gemini": {fault: listedFault, think: thinking{off: effortNone, tokens: 250}},
	"anthropic": {
		rules: []rule{
			refused(several, "n", "n: must be 1"),
			refused(sends("temperature"), "temperature", "temperature: is not supported by this model"),
		},
		serve:        func(q *chatRequest) { q.format = "" },
		noEmbeddings: true,
	},
	"deepseek": {
		rules: []rule{
			refused(format("json_schema"), "", "This response_format type is unavailable now"),
			refused(objectWithoutTheWord, "", "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'."),
		},
		serve:        func(q *chatRequest) { q.n = 1 },
		think:        thinking{off: thinkingDisabled, field: "reasoning_content", tokens: 900},
		noEmbeddings: true,
	},
	"mistral": {
		rules: []rule{
			forbidden("seed"), forbidden("max_completion_tokens"), forbidden("reasoning_effort"), forbidden("service_tier"),
			forbidden("thinking"), forbidden("prompt_cache_key"), forbidden("prompt_cache_options"), forbidden("logprobs"),
		},
		fault: detailFault,
	},
	"groq": {
		rules: []rule{
			refused(several, "n", "'n' : number must be at most 1"),
			refused(sends("logprobs"), "logprobs", "logprobs is not supported with this model"),
		},
		faults:       []Fault{{Mode: "busy_498", Task: taskVerdicts, Rate: 0.1, First: 1}},
		noEmbeddings: true,
	},
}

func openaiRules() []rule {
	return []rule{
		refused(sends("max_tokens"), "max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
		refused(func(q chatRequest) bool { return q.temperature && !effortNone(q) }, "temperature",
			"Unsupported parameter: 'temperature' is not supported with this model."),
	}
}
