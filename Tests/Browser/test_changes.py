"""The code of docs/api/changes.md, with a network that comes and goes."""

import pathlib

from checks import DESKTOP, equal

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/api/changes.md"
# The page's requests are real, and the network can be away or lose the responses.
NETWORK = """
window.network = 'here';
const load = window.fetch;
window.fetch = async (...request) => {
  if (window.network === 'away') throw new TypeError('Failed to fetch');
  const response = await load(...request);
  if (window.network === 'loses responses') throw new TypeError('Failed to fetch');
  return response;
};
"""
TOOLS = """
window.store = (token, filter, name) =>
  new OfflineStore(new Connection(location.origin, token), filter, name);
window.names = async (store) => Object.fromEntries(
  Object.entries((await store.read()).records).map(([id, { name }]) => [id, name ?? null]));
window.problem = (work) => work.then(() => 'none', (error) => error.constructor.name);
window.follow = follow;
"""


def test_stores_a_write_once_after_a_lost_response(site):
    user, page = sign_up(site), load(site)
    record = f"event/{page.evaluate('crypto.randomUUID()')}"
    equal(page.apply(
        """async (token, record, event) => {
          network = 'away';
          const first = store(token, {mine: 1}, 'once');
          await first.write('POST', record, event);
          await first.write('PATCH', record, {name: 'Late concert'});
          return names(first);
        }""", user, record, concert()), {record: "Late concert"})
    # The page was closed meanwhile.
    page = load(site)
    outcomes = page.apply(
        """async (token) => {
          network = 'loses responses';
          const problems = [await problem(store(token, {mine: 1}, 'once').drain())];
          network = 'here';
          const later = store(token, {mine: 1}, 'once');
          // Two tabs send one write once, and one at a time.
          await Promise.all([later.drain(), store(token, {mine: 1}, 'once').drain()]);
          problems.push(await names(later));
          await later.refresh();
          return [...problems, await names(later), (await later.read()).failed];
        }""", user)
    stored = site.request("GET", "/v1/events?owner=me", tb_auth_token=user)[1]["events"]
    equal([event["name"] for event in stored], ["Late concert"])
    shown = {f"event/{stored[0]['id']}": "Late concert"}
    equal(outcomes, ["TryAgainLater", shown, shown, []])


def test_keeps_what_the_server_rejects(site):
    user, page = sign_up(site), load(site)
    event = site.request("POST", "/v1/events", concert(), tb_auth_token=user)[1]["id"]
    page.apply(
        """async (token) => {
          window.mine = store(token, {mine: 1}, 'rejected');
          await mine.refresh();
        }""", user)
    site.request("PATCH", f"/v1/events/{event}", {"name": "Opera"}, tb_auth_token=user)
    equal(page.apply(
        """async (event) => {
          const nowhere = `event/${crypto.randomUUID()}`;
          await mine.write('PATCH', event, {name: 'Play'});
          await mine.write('POST', nowhere, {name: 'Nowhere', lat: 1, lon: 1});
          await mine.drain();
          const errors = (await mine.read()).failed.map(({error}) => error);
          await mine.discard(event);
          await mine.discard(nowhere);
          await mine.refresh();
          await mine.write('PATCH', event, {name: 'Play'});
          await mine.drain();
          return [errors, (await mine.read()).failed, await names(mine)];
        }""", f"event/{event}"),
        [["Precondition Failed", "Started at can't be blank"], [], {f"event/{event}": "Play"}])
    equal(page.evaluate("problem(store('unknown', {mine: 1}, 'nobody').refresh())"), "SignedOut")
    # The browser notes the 412, the 422 and the 401.
    page.wait_until(lambda: len(page.failures) == 3, "the browser notes the errors")
    page.failures.clear()


def test_follows_the_feed(site):
    user, host, page = sign_up(site), sign_up(site), load(site)
    event = site.request("POST", "/v1/events", concert(10), tb_auth_token=host)[1]["id"]
    attendance = site.request(
        "POST", "/v1/attendances", {"event": {"id": event}}, tb_auth_token=user)[1]["id"]
    page.apply(
        """async (token) => {
          window.mine = store(token, {mine: 1}, 'mine');
          window.near = store(token, {lat: 10, lon: -28.62, radius: 5}, 'near');
          await mine.refresh();
          await near.refresh();
        }""", user)
    both = {f"attendance/{attendance}": None, f"event/{event}": "Concert"}
    equal(page.evaluate("names(mine)"), both)
    equal(page.evaluate("names(near)"), {f"event/{event}": "Concert"})

    # A waiting request ends at the first change.
    page.evaluate("window.refreshed = 0; follow(mine, () => { refreshed += 1; }); 0")
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))")
    equal(page.evaluate("refreshed"), 0)
    site.request("DELETE", f"/v1/events/{event}", tb_auth_token=host)
    page.wait("refreshed > 0")
    equal(page.evaluate("names(mine)"), {})
    page.evaluate("near.refresh()")
    equal(page.evaluate("names(near)"), {})

    # A block ends the cursor, and the store begins again.
    other = site.request("POST", "/v1/events", concert(10), tb_auth_token=host)[1]["id"]
    page.evaluate("near.refresh()")
    equal(page.evaluate("names(near)"), {f"event/{other}": "Concert"})
    site.request("POST", "/v1/users/me/blocks", {"event": {"id": other}}, tb_auth_token=user)
    page.evaluate("near.refresh()")
    equal(page.evaluate("names(near)"), {})
    page.wait_until(lambda: len(page.failures) == 1, "the browser notes the 410")
    page.failures.clear()


def load(site):
    """Opens a page of the server, and runs the documentation's JavaScript in it."""
    page = site.open("/docs", DESKTOP)
    parts = PAGE.read_text().split("```js\n")
    equal(len(parts), 2)
    code = parts[1].split("```")[0]
    page.evaluate(f"(() => {{ {NETWORK}; {code}; {TOOLS} }})(); 0")
    return page


def sign_up(site):
    return site.request("POST", "/v1/users", tb_app_secret=site.secret)[1]["auth_token"]


def concert(lat=38.53):
    return {"name": "Concert", "lat": lat, "lon": -28.62, "started_at": "2036-06-01T18:00:00Z"}
