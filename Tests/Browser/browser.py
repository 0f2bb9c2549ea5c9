"""A headless chromium, driven over its DevTools protocol with only Python's standard library."""

import base64
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import time
import urllib.request

NAMES = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"]
# The timeout of an expected change, in seconds.
PATIENCE = 20

KEYS = {
    "Tab": ("Tab", 9, None), "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, None),
    " ": ("Space", 32, " "), "ArrowUp": ("ArrowUp", 38, None), "ArrowDown": ("ArrowDown", 40, None),
    "ArrowLeft": ("ArrowLeft", 37, None), "ArrowRight": ("ArrowRight", 39, None),
    "/": ("Slash", 191, "/"),
}


def find_browser():
    """Returns the path of an installed browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_url(url, process):
    """Waits until the process serves this URL, and returns the response's body."""
    deadline = time.monotonic() + 3 * PATIENCE
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=3 * PATIENCE) as response:
                return response.read()
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    raise AssertionError(f"{url} does not respond")


class WebSocket:
    """A WebSocket client (RFC 6455) for whole text messages."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=3 * PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        self.buffer = self.buffer.split(b"\r\n\r\n", 1)[1]

    def close(self):
        self.socket.close()

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0xFE]) + struct.pack(">H", size)
        else:
            head += bytes([0xFF]) + struct.pack(">Q", size)
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def _take(self, count):
        parts = [self.buffer]
        size = len(self.buffer)
        while size < count:
            received = self.socket.recv(1 << 20)
            if not received:
                raise ConnectionError("the browser has exited")
            parts.append(received)
            size += len(received)
        joined = b"".join(parts)
        self.buffer = joined[count:]
        return joined[:count]

    def receive(self):
        text = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self._take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._take(8))[0]
            text += self._take(size)
            if first & 0x80:
                return text.decode()


class Browser:
    """A running browser without access to other machines or to DNS.

    It finds the hosts *.test at the port `pictures` of this machine.
    """

    def __init__(self, program, folder):
        self.port, self.pictures = free_port(), free_port()
        self.folder = pathlib.Path(folder)
        self.process = subprocess.Popen(
            [
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--mute-audio",
                "--disable-ipc-flooding-protection",
                f"--host-resolver-rules=MAP *.test 127.0.0.1:{self.pictures},"
                " MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                f"--remote-debugging-port={self.port}", f"--user-data-dir={folder}/profile",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            wait_for_url(f"http://127.0.0.1:{self.port}/json/version", self.process)
        except BaseException:
            self.close()
            raise

    def page(self):
        return Page(self)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self.process.wait()


class Page:
    """A tab, which records requests, errors and blocked resources."""

    def __init__(self, browser):
        self.browser = browser
        made = urllib.request.Request(
            f"http://127.0.0.1:{browser.port}/json/new", method="PUT"
        )
        with urllib.request.urlopen(made, timeout=3 * PATIENCE) as response:
            description = json.load(response)
        self.id = description["id"]
        self.socket = WebSocket(description["webSocketDebuggerUrl"])
        self.last = 0
        self.loads = 0
        self.downloads = {}
        self.requests, self.errors, self.failures, self.blocked = [], [], [], []
        # The URL and the value of each header Authorization.
        self.authorized = []
        self.stubs = []
        for domain in ["Page", "Runtime", "Network", "Log", "Audits", "Accessibility"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def close(self):
        self.socket.close()
        address = f"http://127.0.0.1:{self.browser.port}/json/close/{self.id}"
        urllib.request.urlopen(address, timeout=3 * PATIENCE).close()

    # Messages

    def post(self, method, **parameters):
        """Sends a command without waiting for its result, and returns its id."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        self.socket.send(json.dumps(message))
        return self.last

    def call(self, method, **parameters):
        """Sends a command and returns its result."""
        wanted = self.post(method, **parameters)
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def receive(self):
        self.note(json.loads(self.socket.receive()))

    def note(self, event):
        name, detail = event.get("method"), event.get("params", {})
        if name == "Network.requestWillBeSent":
            request = detail["request"]
            self.requests.append(request["url"])
            if "Authorization" in request["headers"]:
                self.authorized.append((request["url"], request["headers"]["Authorization"]))
        elif name == "Network.webSocketCreated":
            self.requests.append(detail["url"])
        elif name == "Runtime.exceptionThrown":
            thrown = detail["exceptionDetails"]
            self.errors.append(thrown.get("exception", {}).get("description", thrown["text"]))
        elif name == "Runtime.consoleAPICalled" and detail["type"] in ("error", "warning"):
            self.errors.append(json.dumps(detail["args"]))
        elif name == "Log.entryAdded" and detail["entry"]["level"] in ("error", "warning"):
            entry = detail["entry"]
            errors = self.failures if entry["source"] == "network" else self.errors
            errors.append(f"{entry['text']} {entry.get('url', '')}")
        elif name == "Audits.issueAdded":
            issue = detail["issue"]
            if issue["code"] == "ContentSecurityPolicyIssue":
                self.blocked.append(json.dumps(issue["details"]))
        elif name == "Page.loadEventFired":
            self.loads += 1
        elif name == "Page.downloadWillBegin":
            self.downloads[detail["guid"]] = (detail["suggestedFilename"], "inProgress")
        elif name == "Page.downloadProgress":
            suggested, _ = self.downloads[detail["guid"]]
            self.downloads[detail["guid"]] = (suggested, detail["state"])
        elif name == "Fetch.requestPaused":
            self._fulfil(detail)

    def _fulfil(self, paused):
        url = paused["request"]["url"]
        for part, status, headers, body in self.stubs:
            if part in url:
                self.post(
                    "Fetch.fulfillRequest",
                    requestId=paused["requestId"],
                    responseCode=status,
                    responseHeaders=[{"name": n, "value": v} for n, v in headers.items()],
                    body=base64.b64encode(body.encode()).decode(),
                )
                return
        self.post("Fetch.continueRequest", requestId=paused["requestId"])

    # User actions

    def open(self, url, size, dark=False):
        """Loads a URL in a window of this size and color scheme, without animations."""
        scheme = "dark" if dark else "light"
        self.call(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        )
        is_phone = size[0] < 600
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=size[0], height=size[1], deviceScaleFactor=2 if is_phone else 1,
            mobile=is_phone,
        )
        # An empty page comes first, because a change of the fragment alone would not load the page.
        for address in ["about:blank", url]:
            before = self.loads
            self.call("Page.navigate", url=address)
            self.wait_until(lambda: self.loads > before, f"{address} is loaded")

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression, and awaits promises."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            raise AssertionError(f"{text}\nin {expression}")
        return result["result"].get("value")

    def apply(self, function, *arguments):
        """Calls a JavaScript function with these values."""
        return self.evaluate(f"({function})(...{json.dumps(arguments)})")

    def wait(self, expression):
        """Waits until a JavaScript expression is true, and returns its value."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            value = self.evaluate(f"((v) => v instanceof Node || v)({expression})")
            if value:
                return value
            self.evaluate("new Promise((resolve) => setTimeout(resolve, 25))")
        raise AssertionError(f"never true: {expression}\nerrors: {self.errors} {self.failures}")

    def wait_until(self, condition, what):
        """Reads the browser's events until a Python function returns true."""
        deadline = time.monotonic() + 3 * PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"never true: {what}")
            self.receive()

    def center(self, selector):
        """Scrolls to an element, and returns its centre in the window."""
        place = self.apply(
            """(selector) => {
              const element = document.querySelector(selector);
              if (!element) return null;
              element.scrollIntoView({block: 'center', behavior: 'instant'});
              const box = element.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            selector,
        )
        assert place, f"no element {selector}"
        return place

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def click(self, selector):
        self.click_at(*self.center(selector))

    def drag(self, start, end, steps=8):
        """Drags with the left button from one point of the window to another."""
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1)
        for step in range(1, steps + 1):
            x = start[0] + (end[0] - start[0]) * step / steps
            y = start[1] + (end[1] - start[1]) * step / steps
            self.mouse("mouseMoved", x, y, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def wheel(self, x, y, distance):
        """Scrolls with the wheel at a point; a positive distance scrolls down."""
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=distance)

    def press(self, key, modifiers=0):
        """Presses a key by its name, such as Tab. Modifiers: 1 Alt, 2 Control, 4 Meta, 8 Shift."""
        code, number, text = KEYS[key]
        more = {"text": text} if text and not modifiers & 7 else {}
        pressed = {"key": key, "code": code, "windowsVirtualKeyCode": number,
                   "modifiers": modifiers}
        self.post("Input.dispatchKeyEvent", type="keyDown", **pressed, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def type(self, selector, text):
        """Selects the content of a field, and types over it."""
        self.apply(
            """(selector) => {
              const field = document.querySelector(selector);
              if (!field) throw new Error(`no field ${selector}`);
              field.focus();
              field.select();
            }""",
            selector,
        )
        if text:
            self.call("Input.insertText", text=text)
        else:
            self.evaluate("document.execCommand('delete')")

    def text(self, selector):
        """Returns the visible text of the first element that matches."""
        return self.apply("(selector) => document.querySelector(selector)?.innerText", selector)

    def download(self, selector):
        """Clicks a link that saves a file, and returns the file's name and bytes."""
        folder = self.browser.folder / "downloads"
        folder.mkdir(exist_ok=True)
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        known = set(self.downloads)
        self.click(selector)

        def saved():
            return [name for id, (name, state) in self.downloads.items()
                    if id not in known and state == "completed"]

        self.wait_until(saved, f"{selector} saves a file")
        path = folder / saved()[0]
        content = path.read_bytes()
        path.unlink()
        return path.name, content

    # Test setup

    def stand_at(self, latitude, longitude):
        """Sets the device's location, and allows pages to read it."""
        self.call("Browser.grantPermissions", permissions=["geolocation"])
        self.call(
            "Emulation.setGeolocationOverride",
            latitude=latitude, longitude=longitude, accuracy=10,
        )

    def stub(self, part, status, headers, body):
        """Stubs the responses to requests whose URL contains this part."""
        self.stubs.append((part, status, headers, body))
        patterns = [{"urlPattern": f"*{stub[0].replace('?', chr(92) + '?')}*"} for stub in self.stubs]
        self.call("Fetch.enable", patterns=patterns)

    def screenshot(self, path, whole=False):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))
