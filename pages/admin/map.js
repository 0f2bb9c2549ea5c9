// A map in a screen, made of the modules of the public map.

import { settings } from './api.js';
import { counted, element } from './dom.js';
import { Ground } from '/map/ground.js';
import { Markers } from '/map/markers.js';
import { fromPlace, toPlace } from '/map/mercator.js';
import { View } from '/map/view.js';
import { parseWorld } from '/map/world.js';

let world;
/** Loads the world once for all maps; without it, a map has no land but works. */
const loadWorld = () => {
  world ??= fetch('/map/world.txt').then((response) => response.text()).then(parseWorld)
    .catch(() => { world = undefined; });
  return world;
};

const dark = matchMedia('(prefers-color-scheme: dark)');

const tool = (text, name, click) => element(
  'button', { type: 'button', title: name, aria: { label: name }, on: { click } }, text,
);

/**
 * A map with markers.
 *
 * It dispatches `move` when it has moved, `pick` with a place as detail, and `open` with an event.
 */
export class SmallMap extends EventTarget {
  #canvas;
  #layer = element('div', {
    className: 'layer', role: 'group', aria: { label: 'Events on the map' },
  });
  #view;
  #markers;
  #ground;
  #events = [];
  #level;
  #frame;
  #settling;

  /** Creates a map in an element of the page until `signal` is aborted. */
  constructor(area, name, signal) {
    super();
    this.#canvas = element('canvas', {
      tabIndex: 0, role: 'application', aria: { roledescription: 'map', label: name },
    });
    area.append(
      this.#canvas, element('div', { className: 'crosshair', aria: { hidden: 'true' } }),
      this.#layer,
      element(
        'div', { className: 'tools', role: 'group', aria: { label: 'Zoom' } },
        tool('+', 'Zoom in', () => this.#view.zoomBy(1)),
        tool('−', 'Zoom out', () => this.#view.zoomBy(-1)),
      ),
      element('p', { className: 'credit' }, settings.credit),
    );
    this.#view = new View(area, this.#canvas, this.#canvas);
    this.#ground = new Ground(this.#canvas, {
      tiles: settings.tiles, didChange: () => this.#paint(),
    });
    this.#markers = new Markers(this.#layer, this.#view, {
      open: ({ id }) => this.dispatchEvent(new CustomEvent('open', { detail: id })),
      enter: ({ at }) => this.#view.fly({ ...toPlace(at), zoom: this.#view.zoom + 2 }),
      didChange: () => this.#paint(),
    });
    this.#ground.obstacles = () => this.#markers.boxes;
    this.#view.addEventListener('move', () => this.#moved());
    this.#view.addEventListener('pick', ({ detail }) =>
      this.dispatchEvent(new CustomEvent('pick', { detail })));
    dark.addEventListener('change', () => {
      this.#ground.readColours();
      this.#paint();
    }, { signal });
    signal.addEventListener('abort', () => clearTimeout(this.#settling));
    loadWorld().then((found) => {
      this.#ground.world = found;
      this.#paint();
    });
  }

  #paint() {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#ground.paint(this.#view);
    });
  }

  #moved() {
    this.#paint();
    // Whether markers overlap depends on the zoom.
    const level = Math.round(this.#view.zoom * 4);
    if (level !== this.#level && this.#events.length > 0) this.#join();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.dispatchEvent(new Event('move')), 400);
  }

  #join() {
    this.#level = Math.round(this.#view.zoom * 4);
    this.#markers.show(this.#events.map((event) =>
      ({ lat: event.lat, lon: event.lon, count: 1, event })));
  }

  /** The visible part as west, south, east and north with five digits, as the API's `bbox`. */
  get box() {
    const { west, south, east, north } = this.#view.bounds;
    const turned = east > 180 ? east - 360 : east;
    return [west, Math.max(-90, south), turned, Math.min(90, north)]
      .map((value) => value.toFixed(5)).join(',');
  }

  /** Shows markers of events. */
  set events(events) {
    this.#events = events;
    const places = events.length > 0 ? `, ${counted(events.length, 'event')}` : '';
    this.#layer.setAttribute('aria-label', `Events on the map${places}`);
    this.#join();
  }

  /** Moves to a place, or marks it as the place of the form or the selected event. */
  show(place) {
    this.#view.show(place);
  }

  set mark(place) {
    this.#markers.ring = place;
  }

  /** Moves so that all places are visible, with a margin in px. */
  fit(places, margin = 48, deepest = 15) {
    if (places.length === 0) {
      this.#view.show({ lat: 25, lon: 10, zoom: 0 });
      return;
    }
    const points = places.map(fromPlace);
    const range = (key) => {
      const values = points.map((point) => point[key]);
      return [Math.min(...values), Math.max(...values)];
    };
    const [[left, right], [top, bottom]] = [range('x'), range('y')];
    const fitting = (size, length) =>
      Math.log2(Math.max(64, size - 2 * margin) / 256 / (length || 1e-9));
    const { width, height } = this.#view;
    const zoom = Math.min(deepest, fitting(width, right - left), fitting(height, bottom - top));
    this.#view.show({ ...toPlace({ x: (left + right) / 2, y: (top + bottom) / 2 }), zoom });
  }

  /** Moves to a box as `box` returns it; returns whether the text is one. */
  showBox(text) {
    const values = (text ?? '').split(',').map(Number);
    if (values.length !== 4 || !values.every(Number.isFinite)) return false;
    const [west, south, east, north] = values;
    const turned = east < west ? east + 360 : east;
    this.fit([{ lat: south, lon: west }, { lat: north, lon: turned }], 0, 19);
    return true;
  }
}
