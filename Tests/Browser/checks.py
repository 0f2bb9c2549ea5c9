"""Checks for every page: no external requests, no errors, and accessibility."""

import functools
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PHONE = (390, 844)
DESKTOP = (1280, 900)
VIEWS = [
    ("phone", PHONE, False), ("phone-dark", PHONE, True),
    ("desktop", DESKTOP, False), ("desktop-dark", DESKTOP, True),
]
# WCAG 2.2, criterion 1.4.3, for text of every size.
LEAST_CONTRAST = 4.5
SMALLEST_TEXT = 12

# The roles of controls and images. Each needs a name.
NAMED_ROLES = {
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "slider",
    "spinbutton", "listbox", "option", "tab", "menuitem", "image", "DisclosureTriangle", "Date",
    "DateTime", "ColorWell", "application",
}


class Skipped(Exception):
    """The reason why a test can't run here."""


class Failures(AssertionError):
    """The problems of a page."""

    def __init__(self, problems):
        super().__init__("\n".join(problems))


def equal(actual, expected):
    """Checks that two values are equal, and shows both otherwise."""
    if actual != expected:
        raise AssertionError(f"expected: {expected!r}\nactual:   {actual!r}")


def check_traffic(page, origin, allowed=()):
    """Checks for requests to other origins, and for errors."""
    inside = (origin + "/", "data:", "blob:", "about:", *allowed)
    others = [url for url in page.requests if not url.startswith(inside)]
    problems = [f"a request left the origin: {url}" for url in others]
    problems += [f"the console shows an error: {text}" for text in page.errors]
    problems += [f"a request failed: {text}" for text in page.failures]
    problems += [f"the content security policy blocked something: {text}" for text in page.blocked]
    if problems:
        raise Failures(problems)


def check_usability(page, least_text=SMALLEST_TEXT, only_colors=False):
    """Checks labels, contrast, width and the order of tabs of the page as it is now.

    - only_colors: checks only what differs between light and dark.
    """
    problems = faint(page)
    if not only_colors:
        problems += unnamed(page) + tiny(page, least_text) + wide(page) + unreached(page)
    if problems:
        raise Failures(problems)


def unnamed(page):
    """Returns the controls without a name in the accessibility tree, and the duplicate ids."""
    problems = []
    for node in page.call("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        name = node.get("name", {}).get("value", "")
        if node["ignored"] or role not in NAMED_ROLES or name.strip():
            continue
        problems.append(f"a {role} has no name: {markup(page, node)}")
    duplicates = page.evaluate(
        """(() => {
          const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
          return ids.filter((id, index) => ids.indexOf(id) !== index);
        })()"""
    )
    return problems + [f"the id {id} is used twice" for id in duplicates]


def markup(page, node):
    try:
        found = page.call("DOM.getOuterHTML", backendNodeId=node["backendDOMNodeId"])
        return found["outerHTML"][:160]
    except (KeyError, RuntimeError):
        return "?"


# Returns the texts with too little contrast to their background. A canvas blends the colors, so
# that every CSS notation works. For gradients, each color counts.
CONTRAST = r"""(least) => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', {willReadFrequently: true});
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
      known.set(color, [r, g, b, a / 255]);
    }
    return known.get(color);
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const canvasColor = () => {
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches &&
      getComputedStyle(document.documentElement).colorScheme.includes('dark');
    return isDark ? [18, 18, 18] : [255, 255, 255];
  };
  const grounds = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const style = getComputedStyle(one);
      const stops = style.backgroundImage.includes('gradient')
        ? style.backgroundImage.match(/(rgba?|color|oklch|oklab|hsla?|lab|lch)\([^()]*\)/g) ?? []
        : [];
      layers.push([style.backgroundColor, ...stops].map(rgba));
      if (rgba(style.backgroundColor)[3] === 1) break;
    }
    let results = [canvasColor()];
    for (const [flat, ...stops] of layers.reverse()) {
      results = results.map((below) => over(flat, below));
      results = results.concat(stops.flatMap((stop) => results.map((below) => over(stop, below))));
    }
    return results;
  };
  const visible = (element) => element.checkVisibility(
    {checkOpacity: true, checkVisibilityCSS: true, contentVisibilityAuto: true});
  const clipped = (element) => {
    const box = element.getBoundingClientRect();
    return box.width <= 1 || box.height <= 1;
  };
  const problems = new Set();
  const look = (element, color, text) => {
    let opacity = 1;
    for (let one = element; one; one = one.parentElement) {
      opacity *= Number(getComputedStyle(one).opacity);
    }
    const [r, g, b, a] = rgba(color);
    for (const ground of grounds(element)) {
      const ratio = contrast(over([r, g, b, a * opacity], ground), ground);
      if (ratio < least) {
        problems.add(`contrast ${ratio.toFixed(2)} of “${text.trim().slice(0, 40)}” in ` +
          `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`);
      }
    }
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || element.closest('script, style, option, :disabled')) {
      continue;
    }
    if (!visible(element) || clipped(element)) continue;
    const style = getComputedStyle(element);
    look(element, element.closest('svg') ? style.fill : style.color, texts.currentNode.data);
  }
  for (const field of document.querySelectorAll('input:enabled, textarea:enabled, select:enabled')) {
    if (!visible(field)) continue;
    if (field.value) look(field, getComputedStyle(field).color, field.value);
    else if (field.placeholder) {
      look(field, getComputedStyle(field, '::placeholder').color, field.placeholder);
    }
  }
  return [...problems];
}"""


def faint(page):
    return page.apply(CONTRAST, LEAST_CONTRAST)


def tiny(page, least):
    """Returns the texts that are smaller than this number of pixels."""
    return page.apply(
        """(least) => {
          const small = new Set();
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (texts.nextNode()) {
            const element = texts.currentNode.parentElement;
            if (!texts.currentNode.data.trim() || element.closest('script, style')) continue;
            const size = parseFloat(getComputedStyle(element).fontSize);
            if (size < least && element.checkVisibility()) {
              small.add(`${size} px: “${texts.currentNode.data.trim().slice(0, 40)}”`);
            }
          }
          return [...small];
        }""",
        least,
    )


def wide(page):
    """Returns a problem if the page scrolls sideways, with the elements that are too wide."""
    return page.evaluate(
        """(() => {
          const root = document.documentElement;
          if (root.scrollWidth <= root.clientWidth) return [];
          const out = [...document.querySelectorAll('body *')]
            .filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1)
            .slice(0, 5).map((one) => `${one.tagName.toLowerCase()}.${one.className}`);
          return [`${root.scrollWidth} px wide in ${root.clientWidth}: ${out.join(', ')}`];
        })()"""
    )


# Lists the controls that Tab must reach. One radio button counts for its group.
CONTROLS = r"""(() => {
  const all = [...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, iframe, [tabindex], [contenteditable]')];
  window.controls = all.filter((one) => one.tabIndex >= 0 && !one.disabled &&
    one.type !== 'hidden' && !one.closest('[inert]') &&
    !(one.tagName === 'SUMMARY' && one.parentElement.tagName !== 'DETAILS') &&
    one.checkVisibility({checkVisibilityCSS: true, contentVisibilityAuto: true}));
  const groups = new Map();
  window.groups = window.controls.map((one, index) => {
    if (one.type !== 'radio' || !one.name) return index;
    const key = `${one.form?.id} ${one.name}`;
    if (!groups.has(key)) groups.set(key, index);
    return groups.get(key);
  });
  document.activeElement?.blur();
  return window.groups;
})()"""
FOCUS = r"""(() => {
  const one = document.activeElement;
  if (!one || one === document.body) return {index: -2};
  const style = getComputedStyle(one);
  const isShown = style.outlineStyle !== 'none' || style.boxShadow !== 'none';
  const html = one.outerHTML.slice(0, 120);
  return {index: window.groups[window.controls.indexOf(one)] ?? -1, isShown, html};
})()"""


def unreached(page):
    """Returns the controls that Tab does not reach, and those that don't show their focus."""
    expected = set(page.evaluate(CONTROLS))
    reached, problems = set(), []
    for _ in range(2 * len(expected) + 10):
        page.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus["index"] == -2:
            if expected <= reached or not reached:
                break
            continue
        if focus["index"] in reached and expected <= reached:
            break
        if not focus["isShown"] and focus["index"] not in reached:
            problems.append(f"the focus is invisible on {focus['html']}")
        reached.add(focus["index"])
    for index in sorted(expected - reached):
        html = page.apply("(index) => window.controls[index].outerHTML.slice(0, 120)", index)
        problems.append(f"Tab does not reach {html}")
    page.evaluate("document.activeElement?.blur()")
    return problems


def check_with_axe(page):
    """Checks that axe has no serious findings; the page must bypass its CSP."""
    page.evaluate(axe() + "; 0")
    page.evaluate("axe.run().then(found => { window.found = found.violations }); 0")
    page.wait("window.found !== undefined")
    found = json.loads(page.evaluate(
        """JSON.stringify(window.found.map(
          (rule) => [rule.id, rule.impact, rule.nodes[0].html.slice(0, 160)]))"""
    ))
    serious = [rule for rule in found if rule[1] in ("serious", "critical")]
    page.evaluate("delete window.found")
    equal(serious, [])


@functools.cache
def axe():
    """Returns the script of axe, which comes from PyPI."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder,
             "axe-core-python==0.1.0"], capture_output=True, text=True)
        wheels = list(pathlib.Path(folder).glob("*.whl"))
        if done.returncode != 0 or not wheels:
            raise Skipped("axe-core-python can't be downloaded with pip")
        with zipfile.ZipFile(io.BytesIO(wheels[0].read_bytes())) as wheel:
            return wheel.read("axe_core_python/axe.min.js").decode()
