"""The same call in several languages, ready to copy: {url} and {body} stand for the path's address and the JSON."""

SNIPPETS = {
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


def filled(template: str, url: str, body: str) -> str:
    """A call that can be run."""
    return template.replace("{url}", url).replace("{body}", body)
