package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"leadline/config"
)

// inFolder writes files into a folder of their own and returns the path of leadline.yaml.
func inFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "leadline.yaml")
}

const withFiles = minimal + `  api_key_file: secrets/judge
  embeddings: {model: embed-1, api_key_file: /run/secrets/embeddings}
alert:
  receivers:
    - {name: a, slack: {api_url_file: slack}}
    - {name: b, webhook: {url_file: ../url, secret_file: signing}}
report: {dir: weekly}
server: {token_file: token}
`

func TestRelativePathsBeginAtTheFolderOfTheFile(t *testing.T) {
	path := inFolder(t, map[string]string{"leadline.yaml": withFiles})
	cfg, err := config.Load(path, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	hook := cfg.Alert.Receivers[1].Webhook
	want := []string{dir + "/secrets/judge", "/run/secrets/embeddings", dir + "/slack", filepath.Dir(dir) + "/url", dir + "/signing",
		dir + "/weekly", dir + "/token", dir + "/leadline.db"}
	got := []string{cfg.Judge.APIKeyFile, cfg.Judge.Embeddings.APIKeyFile, cfg.Alert.Receivers[0].Slack.APIURLFile, hook.URLFile,
		hook.SecretFile, cfg.Report.Dir, cfg.Server.TokenFile, cfg.Store.Path}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestPathsInAFileOfTheWorkingDirectoryStayAsTheyAre(t *testing.T) {
	t.Chdir(filepath.Dir(inFolder(t, map[string]string{"leadline.yaml": withFiles})))
	cfg, err := config.Load("leadline.yaml", noEnv)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Store.Path != "leadline.db" || cfg.Judge.APIKeyFile != "secrets/judge" {
		t.Errorf("got %s and %s", cfg.Store.Path, cfg.Judge.APIKeyFile)
	}
}

func TestPathsInAPipeBeginAtTheWorkingDirectory(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := in.WriteString(withFiles); err != nil {
		t.Fatal(err)
	}
	in.Close()
	cfg, err := config.Load(fmt.Sprintf("/dev/fd/%d", out.Fd()), noEnv)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no /dev/fd here")
	}
	if err != nil || cfg.Store.Path != "leadline.db" {
		t.Errorf("the store is at %s, %v", cfg.Store.Path, err)
	}
}

func TestNameOfASecretsFileIsShownWhereItCanBeNothingElse(t *testing.T) {
	for name, want := range map[string]string{
		"secrets/judge.key":     "names secrets/judge.key relative to ",
		"sk-planted0123456789":  "names a file relative to ",
		"https://planted/x.url": "names a file relative to ",
		"cGxhbnRlZA/planted==":  "names a file relative to ",
	} {
		path := inFolder(t, map[string]string{"leadline.yaml": minimal + "  api_key_file: " + name + "\n"})
		_, err := config.LoadWithSecrets(path, noEnv)
		want += filepath.Dir(path) + ": it does not exist"
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

func TestSecretsThatCannotBeUsedAreToldAllAtOnce(t *testing.T) {
	path := inFolder(t, map[string]string{
		"leadline.yaml": minimal + `  api_key_file: /nowhere/judge
  embeddings:
    model: embed-1
    api_key_file: key
alert:
  receivers:
    - name: a
      slack:
        api_url_file: slack
    - name: b
      webhook:
        url_file: https://hooks.example/planted-in-the-wrong-place
        secret_file: signing
server:
  token_file: empty
sample:
  rate: 2
`,
		"key": "planted-1\nplanted-2\n", "slack": "htp://planted.example\n", "signing": "planted", "empty": "\n",
	})
	dir := filepath.Dir(path)
	want := []string{
		`8: judge.api_key_file: names /nowhere/judge: it does not exist; make it, or name another`,
		`11: judge.embeddings.api_key_file: names a file relative to ` + dir + `: its content must be one line and nothing else`,
		`16: alert.receivers[0].slack.api_url_file: names a file relative to ` + dir + `: its content must be an http or https URL such as https://host/path`,
		`19: alert.receivers[1].webhook.url_file: names a file relative to ` + dir + `: it does not exist; make it, or name another`,
		`20: alert.receivers[1].webhook.secret_file: names a file relative to ` + dir + `: its content must be whsec_ and then 24 to 64 bytes in base64`,
		`22: server.token_file: names a file relative to ` + dir + `: it is empty; put the secret in it`,
		`24: sample.rate: must be above 0 and at most 1, not 2`,
	}
	_, err := config.LoadWithSecrets(path, noEnv)
	if err == nil {
		t.Fatal("no problem")
	}
	if d := cmp.Diff(want, strings.Split(strings.ReplaceAll(err.Error(), path+":", ""), "\n")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if strings.Contains(err.Error(), "planted") {
		t.Errorf("a secret is shown: %v", err)
	}
}

func TestSecretsOfAFileAreReadOnlyByThoseWhoUseThem(t *testing.T) {
	path := inFolder(t, map[string]string{"leadline.yaml": minimal + "  api_key_file: key\n"})
	if _, err := config.Load(path, noEnv); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "key"), []byte("sk-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.LoadWithSecrets(path, noEnv); err != nil {
		t.Error(err)
	}
}

func TestSecretThisUserMayNotReadIsTold(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	path := inFolder(t, map[string]string{"leadline.yaml": minimal + "  api_key_file: key\n", "key": "sk-1"})
	if err := os.Chmod(filepath.Join(filepath.Dir(path), "key"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := config.LoadWithSecrets(path, noEnv); err == nil || !strings.Contains(err.Error(), "change its owner or mode") {
		t.Errorf("got %v", err)
	}
}

func TestFolderInPlaceOfASecretIsTold(t *testing.T) {
	path := inFolder(t, map[string]string{"leadline.yaml": minimal + "  api_key_file: .\n"})
	if _, err := config.LoadWithSecrets(path, noEnv); err == nil || !strings.Contains(err.Error(), "cannot be read: is a directory") {
		t.Errorf("got %v", err)
	}
}

func TestPathFromAVariableIsShownAsItIsWritten(t *testing.T) {
	path := inFolder(t, map[string]string{"leadline.yaml": minimal + "  api_key_file: ${env:DIR}/key\n"})
	_, err := config.LoadWithSecrets(path, env(map[string]string{"DIR": "/nowhere"}))
	if err == nil || !strings.HasSuffix(err.Error(), "names ${env:DIR}/key: it does not exist; make it, or name another") {
		t.Errorf("got %v", err)
	}
}
