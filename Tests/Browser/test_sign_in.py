"""The code of docs/sign-in.md, with a stand-in for Google's script."""

import pathlib
import subprocess
import sys

from checks import DESKTOP, Skipped, equal

SETTINGS = {"AUTH_ISSUERS": "https://issuer.test my-app keys.json"}
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/sign-in.md"
ADDRESS = "https://events.example.com"
GOOGLE = """
window.google = {accounts: {id: {
  initialize: (options) => { window.options = options; },
  renderButton: (place) => { window.place = place; },
}}};
window.questions = [];
window.confirm = (question) => { window.questions.push(question); return window.decision; };
"""


def test_signs_in_with_the_code_of_the_documentation(site):
    ana = id_tokens(site, "ana")[0]
    page = load(site)
    equal(page.evaluate("options.client_id"), "123-web.apps.googleusercontent.com")
    first = sign_in(page, ana)
    equal(first["result"], "created")
    equal(stored(page), first["auth_token"])
    equal(site.request("GET", "/v1/users/me", tb_auth_token=first["auth_token"])[1]["issuers"],
          ["https://issuer.test"])
    # A retry has the same token.
    equal(sign_in(page, ana), {**first, "result": "signed_in"})

    for decision, result in [("true", "merged"), ("false", "signed_in")]:
        device = site.request("POST", "/v1/users", tb_app_secret=site.secret)[1]["auth_token"]
        event = {"name": "Picnic", "lat": 1, "lon": 1, "started_at": "2026-12-01T00:00:00Z"}
        equal(site.request("POST", "/v1/events", event, tb_auth_token=device)[0], 200)
        page.evaluate(f"localStorage.setItem('token', '{device}'); window.decision = {decision}; 0")
        body = sign_in(page, ana)
        equal((body["id"], body["result"]), (first["id"], result))
        equal(stored(page) == device, decision == "true")
    equal(page.evaluate("questions"), ["Move 1 events and 0 attendances to your account?"] * 2)

    equal(sign_in(page, ana + "x"), "Id token is malformed")
    # The token stays: a failed sign-in signs nobody out.
    equal(stored(page), body["auth_token"])
    # The browser notes the two 409 and the 422.
    page.wait_until(lambda: len(page.failures) == 3, "the browser notes the errors")
    page.failures.clear()
    page.evaluate("localStorage.clear()")


def load(site):
    """Opens a page of the server, and runs the documentation's JavaScript in it."""
    page = site.open("/docs", DESKTOP)
    code = block("js")
    assert code.count(ADDRESS) == 1, code
    # In a function, because the page has a script with the same names.
    page.evaluate(f"{GOOGLE}; (() => {{ {code.replace(ADDRESS, site.origin)} }})(); 0")
    return page


def sign_in(page, id_token):
    """Calls back as Google's script does; returns the result or the message of the error."""
    return page.apply(
        "(credential) => options.callback({credential}).catch((error) => error.message)", id_token
    )


def stored(page):
    return page.evaluate("localStorage.getItem('token')")


def id_tokens(site, *names):
    """Runs the issuer of the documentation, which needs packages of PyPI."""
    packages = site.folder / "packages"
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--target", str(packages), "pyjwt",
         "cryptography"], capture_output=True, text=True)
    if done.returncode != 0:
        raise Skipped("pyjwt and cryptography can't be installed with pip")
    subprocess.run(
        [sys.executable, "-c", block("python"), *names], check=True, cwd=site.folder,
        env={"PYTHONPATH": str(packages)})
    return [(site.folder / f"{name}.txt").read_text() for name in names]


def block(language):
    """Returns the only block of code in this language."""
    parts = PAGE.read_text().split(f"```{language}\n")
    equal(len(parts), 2)
    return parts[1].split("```")[0]
