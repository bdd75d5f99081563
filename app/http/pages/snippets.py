"""The same call in several languages, ready to copy: {url} and {body} stand for the path's address and the JSON.

Where the service has keys, a call takes one from the environment.
"""

_OPEN = {
    "curl": """\
curl {url} --json '{body}'
""",
    "Python": """\
import httpx

answer = httpx.post("{url}", json={body})
print(answer.json())
""",
    "TypeScript": """\
const answer = await fetch("{url}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({body}),
});
console.log(await answer.json());
""",
}

_WITH_KEY = {
    "curl": """\
curl {url} -H "Authorization: Bearer $KEY" --json '{body}'
""",
    "Python": """\
import os

import httpx

key = {"Authorization": f"Bearer {os.environ['KEY']}"}
answer = httpx.post("{url}", json={body}, headers=key)
print(answer.json())
""",
    "TypeScript": """\
const answer = await fetch("{url}", {
  method: "POST",
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${process.env.KEY}` },
  body: JSON.stringify({body}),
});
console.log(await answer.json());
""",
}


def snippets(keys: bool) -> dict[str, str]:
    """The calls by language; `keys`: of a service that has some."""
    return _WITH_KEY if keys else _OPEN


def filled(template: str, url: str, body: str) -> str:
    """A call that can be run."""
    return template.replace("{url}", url).replace("{body}", body)
