"""Tests the checks: each must find the problems of a bad page."""

import checks

BAD = """<!DOCTYPE html><html lang="en"><title>Bad</title>
<link rel="icon" href="data:,"><style>
body { margin: 0; background: #ffffff; color: #000000 }
.faint { color: #8a8a8a } .behind { background: linear-gradient(#000000, #ffffff) }
.tiny { font-size: 9px } .wide { width: 2000px } .hidden:focus { outline: none }
</style><body><input id="one"><button></button><p class="faint">faint</p>
<p class="behind">behind</p><p class="tiny">tiny</p><div class="wide">wide</div>
<div id="one"></div><a href="#" class="hidden">hidden</a><button class="trap">trap</button>
<button>behind the trap</button><script>
document.querySelector('.trap').addEventListener('keydown', (event) => event.preventDefault());
</script></body></html>"""


def open_bad(site, headers, html=BAD):
    page = site.page
    page.stub("/bad", 200, {"Content-Type": "text/html; charset=utf-8", **headers}, html)
    page.open(site.origin + "/bad", checks.DESKTOP)
    return page


def test_usability_problems_are_noticed(site):
    page = open_bad(site, {})
    problems = "\n".join(
        checks.unnamed(page) + checks.faint(page) + checks.tiny(page, 12) + checks.wide(page)
        + checks.unreached(page)
    )
    for expected in [
        'a textbox has no name: <input id="one">', "a button has no name: <button></button>",
        "the id one is used twice", "contrast 3.45 of “faint” in p.faint",
        "contrast 1.00 of “behind” in p.behind", "9 px: “tiny”", "px wide in 1280: div.wide",
        'the focus is invisible on <a href="#" class="hidden">',
        "Tab does not reach <button>behind the trap</button>",
    ]:
        assert expected in problems, f"not noticed: {expected}\n{problems}"
    assert len(problems.split("\n")) == 9, problems


def test_traffic_problems_are_noticed(site):
    html = """<!DOCTYPE html><html lang="en"><title>Bad</title><script>fetch('/missing');
        new Image().src = 'http://other.test/pixel'; throw new Error('on purpose')</script>"""
    page = open_bad(site, {}, html)
    page.wait_until(lambda: len(page.failures) == 2, "both requests fail")
    problems = problems_of_traffic(site)
    for expected in [
        "a request left the origin: http://other.test/pixel",
        "the console shows an error: Error: on purpose",
        "a request failed: Failed to load resource: the server responded with a status of 404",
    ]:
        assert expected in problems, f"not noticed: {expected}\n{problems}"
    forget(page)


def test_blocked_resources_are_noticed(site):
    policy = {"Content-Security-Policy": "default-src 'none'"}
    page = open_bad(site, policy, "<!DOCTYPE html><title>Bad</title><script>fetch('/docs')</script>")
    page.wait_until(lambda: page.blocked, "the script is blocked")
    problems = problems_of_traffic(site)
    assert "the content security policy blocked something: " in problems, problems
    forget(page)


def problems_of_traffic(site):
    try:
        checks.check_traffic(site.page, site.origin)
    except checks.Failures as failures:
        return str(failures)
    return ""


def forget(page):
    """Clears the expected problems."""
    for problems in [page.requests, page.errors, page.failures, page.blocked]:
        problems.clear()
