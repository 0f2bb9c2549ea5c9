"""The client /humon.js, imported by a page of another origin."""

import contextlib
import http.server
import threading

from browser import free_port
from checks import DESKTOP, equal

PORTS = free_port(), free_port()
LISTED, OTHER = (f"http://127.0.0.1:{port}" for port in PORTS)
SETTINGS = {"CORS_ORIGINS": LISTED}
ALLOWED = (f"{LISTED}/", f"{OTHER}/")


class Website(http.server.BaseHTTPRequestHandler):
    """An empty page, with redirects in the folder /moved."""

    def do_GET(self):
        self.send_response(302 if self.path.startswith("/moved") else 200)
        if self.path.startswith("/moved"):
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><html lang=en><link rel=icon href=data:,><title>a</title>")

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def website(port):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Website)
    threading.Thread(target=server.serve_forever).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def test_a_page_of_another_origin_uses_the_client(site):
    with website(PORTS[0]):
        page = site.page
        page.open(LISTED, DESKTOP)
        result = page.apply(
            """async (url, appSecret) => {
              const { Humon } = await import(`${url}/humon.js`);
              const humon = new Humon(url, { appSecret });
              const { id: user } = await humon.signUp();
              const event = { name: 'Jazz', lat: 51, lon: 3, started_at: new Date('2036-06-01') };
              const id = await humon.events.create(event);
              const { version } = await humon.events.get(id);
              await humon.events.update(id, { name: 'Late jazz' }, { ifMatch: version });
              const names = [];
              for await (const { name } of humon.events.search({ owner: 'me' })) names.push(name);
              const errors = [];
              const work = [
                () => humon.events.create({ ...event, lat: 91 }),
                () => humon.events.update(id, { name: 'Jazz' }, { ifMatch: version }),
                () => new Humon(`${location.origin}/moved`).events.page(),
              ];
              for (const call of work) {
                await call().catch(({ kind, message, requestID }) =>
                  errors.push([kind, message, typeof requestID]));
              }
              const controller = new AbortController();
              const query = { mine: 1, since: 'now' };
              for await (const { event } of humon.changes.stream(query, controller)) {
                names.push(event);
                break;
              }
              return { user, names, errors, stored: localStorage.getItem(`humon:${url}`) };
            }""", site.origin, site.secret)
        equal(result["names"], ["Late jazz", "ready"])
        equal([error[0] for error in result["errors"]],
              ["validationFailed", "preconditionFailed", "redirected"])
        equal(result["errors"][0][1:], ["Lat must be less than or equal to 90", "string"])
        me = site.request("GET", "/v1/users/me", tb_auth_token=result["stored"])[1]
        equal((me["id"], me["events"]), (result["user"], 1))
        # The page was closed meanwhile.
        page.open(LISTED, DESKTOP)
        equal(page.apply(
            """async (url) => {
              const { Humon } = await import(`${url}/humon.js`);
              const humon = new Humon(url);
              const { id } = await humon.me();
              await humon.deleteMe();
              return [id, localStorage.length];
            }""", site.origin), [result["user"], 0])
        # The browser notes the 422 and the 412.
        page.wait_until(lambda: len(page.failures) == 2, "the browser notes the errors")
        page.failures.clear()


def test_pages_of_unlisted_origins_can_not_import_it(site):
    with website(PORTS[1]):
        page = site.page
        page.open(OTHER, DESKTOP)
        equal(page.apply(
            "(url) => import(`${url}/humon.js`).then(() => 'imported', ({ name }) => name)",
            site.origin), "TypeError")
        page.wait_until(lambda: page.errors and page.failures, "the browser notes the error")
        page.errors.clear()
        page.failures.clear()
