"""Scores records with Ragas's own two metrics: ragas_score.py RECORDS BASE_URL MODEL IN_FLIGHT

RECORDS is a file of JSON lines with id, question, answer and contexts. Prints a JSON line
per record and a last one with what the scoring took. Python starts and imports are not in it,
but for the memory.
"""

import asyncio
import json
import math
import os
import resource
import sys
import time
import warnings
from importlib.metadata import version

warnings.simplefilter("ignore")
# Else every call reports to a server outside, and waits for it where it cannot be reached.
os.environ["RAGAS_DO_NOT_TRACK"] = "true"

import openai  # noqa: E402
from ragas.embeddings.base import embedding_factory  # noqa: E402
from ragas.llms import llm_factory  # noqa: E402
from ragas.metrics.collections import AnswerRelevancy, Faithfulness  # noqa: E402


async def value(gate, job):
    """The score of one metric, or the name of the exception instead of it."""
    async with gate:
        try:
            got = float((await job()).value)
        except Exception as e:  # whatever it is, it is Ragas's result for this record
            return {"error": type(e).__name__}
    return {"nan": True} if math.isnan(got) else {"value": got}


async def score(records, url, model, in_flight):
    client = openai.AsyncOpenAI(api_key="none", base_url=url)
    llm = llm_factory(model, client=client)
    embeddings = embedding_factory("openai", model=model, client=client)
    faithfulness, relevancy = Faithfulness(llm=llm), AnswerRelevancy(llm=llm, embeddings=embeddings)
    gate = asyncio.Semaphore(in_flight)

    async def one(r):
        texts = {"user_input": r["question"], "response": r["answer"]}
        f, a = await asyncio.gather(
            value(gate, lambda: faithfulness.ascore(**texts, retrieved_contexts=r["contexts"])),
            value(gate, lambda: relevancy.ascore(**texts)),
        )
        return {"id": r["id"], "faithfulness": f, "answer_relevancy": a}

    return await asyncio.gather(*(one(r) for r in records))


def peak_memory():
    """The most that this process held, in KiB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return int(next(line for line in status if line.startswith("VmHWM:")).split()[1])


def main():
    path, url, model, in_flight = sys.argv[1:]
    with open(path, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    results = asyncio.run(score(records, url, model, int(in_flight)))
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    for r in results:
        print(json.dumps(r))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({
        "usage": {"wall_s": wall, "cpu_s": cpu, "max_rss_kib": peak_memory()},
        "versions": {name: version(name) for name in ("ragas", "instructor", "openai")} | {"python": sys.version.split()[0]},
    }))


main()
