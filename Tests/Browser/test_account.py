"""The page at `/account/delete`, which people without the app use."""

import checks
from checks import DESKTOP, PHONE, equal

SETTINGS = {"CONTACT_EMAIL": "help@example.com", "APP_NAME": "Picnic & <Friends>",
            "TERMS_URL": "https://example.com/terms"}


def test_looks_right(site):
    site.look("account", "/account/delete")


def test_deletes_by_a_code(site):
    token = sign_up(site)
    event = {"name": "Picnic", "lat": 1, "lon": 1, "started_at": "2026-12-01T00:00:00Z"}
    status, made = site.request("POST", "/v1/events", event, tb_auth_token=token)
    equal(status, 200)
    code = site.request("POST", "/v1/users/me/deletion_code", tb_auth_token=token)[1]["code"]
    page = site.open("/account/delete", PHONE)
    assert "Picnic & <Friends>" in page.text("main"), page.text("main")
    page.type("input[name=code]", code.lower().replace("-", " "))
    page.click("form input[name=confirm]")
    send(page, "form button")
    equal(page.text("[role=status]"), "Your data has been deleted.")
    equal(site.request("GET", f"/v1/events/{made['id']}")[0], 404)
    equal(site.request("GET", "/v1/users/me", tb_auth_token=token)[0], 401)


def test_deletes_an_account_by_its_password(site):
    user = {"user": {"email": "ana@example.com", "password": "correct horse"}}
    equal(site.request("POST", "/v1/users", user)[0], 201)
    page = site.open("/account/delete", DESKTOP)
    page.type("input[name=email]", "ana@example.com")
    page.type("input[name=password]", "correct horse")
    page.click("section:nth-of-type(2) input[name=confirm]")
    send(page, "section:nth-of-type(2) button")
    equal(page.text("[role=status]"), "Your data has been deleted.")
    sign_in = site.request("POST", "/v1/users/sign_in", user)
    equal(sign_in[0], 401)


def test_has_no_serious_findings_of_axe(site):
    page = site.open("/account/delete", DESKTOP)
    # The page itself allows no script at all.
    page.call("Page.setBypassCSP", enabled=True)
    site.open("/account/delete", DESKTOP)
    checks.check_with_axe(page)
    page.call("Page.setBypassCSP", enabled=False)


def send(page, button):
    """Sends a form, and waits for the page that answers it."""
    before = page.loads
    page.click(button)
    page.wait_until(lambda: page.loads > before, "the answer is loaded")


def sign_up(site):
    return site.request("POST", "/v1/users", tb_app_secret=site.secret)[1]["auth_token"]
