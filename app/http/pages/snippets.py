"""The same call in several languages, ready to copy: {url} and {body} stand for the path's address and the JSON.

The JSON is a text in every language, never pasted in as code: Python has no true, and the numbers of JavaScript lose
digits of long integers. Where the service has keys, a call takes one from the environment.
"""

_OPEN = {
    "curl": """\
curl {url} --json '{body}'
""",
    "Python": """\
import httpx

body = '{body}'
answer = httpx.post("{url}", content=body, headers={"Content-Type": "application/json"})
print(answer.json())
""",
    "TypeScript": """\
const answer = await fetch("{url}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: '{body}',
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

body = '{body}'
headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['KEY']}"}
answer = httpx.post("{url}", content=body, headers=headers)
print(answer.json())
""",
    "TypeScript": """\
const answer = await fetch("{url}", {
  method: "POST",
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${process.env.KEY}` },
  body: '{body}',
});
console.log(await answer.json());
""",
}

_FILE = """\
curl '{url}?axes=1' --data-binary @x.npy \\
  -H 'Content-Type: application/x-npy' -H 'Accept: application/x-npy' -o reduced.npy
"""

_FILE_WITH_KEY = """\
curl '{url}?axes=1' --data-binary @x.npy -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/x-npy' -H 'Accept: application/x-npy' -o reduced.npy
"""


def snippets(keys: bool) -> dict[str, str]:
    """The calls by language; `keys`: of a service that has some."""
    return _WITH_KEY if keys else _OPEN


def file_call(keys: bool) -> str:
    """The call that sends an .npy file, and has its answer in another."""
    return _FILE_WITH_KEY if keys else _FILE


def filled(template: str, url: str, body: str = "") -> str:
    """A call that can be run."""
    return template.replace("{url}", url).replace("{body}", body)
