// The visible part of the map, and its movement by pointers and keys.

import { fromPlace, toPlace } from './mercator.js';

const tileSize = 256;
const deepest = 19;
/** The part of the world's height that the view may show beyond its edges. */
const beyond = 0.08;
const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
const between = (low, value, high) => Math.max(low, Math.min(high, value));

/**
 * The visible part of the world.
 *
 * It dispatches `move` after each movement, and `pick` with a place when the user clicks the ground.
 */
export class View extends EventTarget {
  #area;
  #canvas;
  #centre = { x: 0.5, y: 0.4 };
  #pointers = new Map();
  #flight;
  #speed;
  #hasDragged = false;
  #pick;
  zoom = 1;
  width = 1;
  height = 1;
  ratio = 1;

  /** Creates the view of a canvas that fills an area; `keys` is the element that gets key events. */
  constructor(area, canvas, keys) {
    super();
    this.#area = area;
    this.#canvas = canvas;
    new ResizeObserver(() => this.#resize()).observe(area);
    this.#resize();
    area.addEventListener('pointerdown', (event) => this.#press(event));
    area.addEventListener('pointermove', (event) => this.#drag(event));
    for (const type of ['pointerup', 'pointercancel']) {
      area.addEventListener(type, (event) => this.#release(event));
    }
    area.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    area.addEventListener('dblclick', (event) => this.#doubleClick(event));
    canvas.addEventListener('click', (event) => this.#click(event));
    keys.addEventListener('keydown', (event) => this.#key(event));
  }

  /** The width of the world in px. */
  get scale() {
    return tileSize * 2 ** this.zoom;
  }

  /** The point of the world in the upper left corner. */
  get origin() {
    return {
      x: this.#centre.x - this.width / 2 / this.scale,
      y: this.#centre.y - this.height / 2 / this.scale,
    };
  }

  /** The place at the centre. */
  get centre() {
    return toPlace(this.#centre);
  }

  /** The visible part of the world in degrees; west is from -180 to 180. */
  get bounds() {
    const [topLeft, { scale }] = [this.origin, this];
    const northWest = toPlace(topLeft);
    const southEast = toPlace({ x: 0, y: topLeft.y + this.height / scale });
    const degrees = this.width / scale * 360;
    const isAll = degrees >= 360;
    return {
      west: isAll ? -180 : northWest.lon,
      east: isAll ? 180 : northWest.lon + degrees,
      south: southEast.lat,
      north: northWest.lat,
    };
  }

  /** Returns the position of a point of the world in px, in the copy nearest to the centre. */
  project(point) {
    const turns = Math.round(this.#centre.x - point.x);
    return {
      x: (point.x + turns - this.#centre.x) * this.scale + this.width / 2,
      y: (point.y - this.#centre.y) * this.scale + this.height / 2,
    };
  }

  /** Returns the place at a position in px. */
  placeAt(x, y) {
    const { origin, scale } = this;
    return toPlace({ x: origin.x + x / scale, y: origin.y + y / scale });
  }

  /** Moves the centre to a place immediately. */
  show({ lat, lon, zoom = this.zoom }) {
    this.#stop();
    this.#set(fromPlace({ lat, lon }), zoom);
  }

  /** Moves to a place with an animation, unless the user prefers reduced motion. */
  fly({ lat, lon, zoom = this.zoom }) {
    const [from, to] = [{ ...this.#centre, zoom: this.zoom }, fromPlace({ lat, lon })];
    to.x += Math.round(from.x - to.x);
    const pixels = Math.hypot(to.x - from.x, to.y - from.y) * this.scale;
    if (isStill() || pixels > 4 * (this.width + this.height)) {
      this.show({ lat, lon, zoom });
      return;
    }
    this.#animate(from, { ...to, zoom: this.#allowed(zoom) });
  }

  /** Moves the ground by px, for example to make room at an edge. */
  glide(dx, dy) {
    const { x, y } = this.#centre;
    const to = { x: x - dx / this.scale, y: y - dy / this.scale, zoom: this.zoom };
    if (isStill()) this.#set(to, this.zoom);
    else this.#animate({ x, y, zoom: this.zoom }, to);
  }

  /** Zooms by levels around the centre, or around a position in px. */
  zoomBy(levels, x = this.width / 2, y = this.height / 2) {
    const end = this.#allowed(Math.round((this.zoom + levels) * 2) / 2);
    const from = { ...this.#centre, zoom: this.zoom };
    const to = { ...this.#around(x, y, end), zoom: end };
    if (isStill()) this.#set(to, end);
    else this.#animate(from, to, { x, y });
  }

  #allowed(zoom) {
    const least = Math.log2(Math.max(this.width, this.height) / tileSize);
    return between(least, zoom, deepest);
  }

  /** Returns the new centre so that zooming keeps the point at a position in place. */
  #around(x, y, zoom) {
    const [before, after] = [this.scale, tileSize * 2 ** zoom];
    return {
      x: this.#centre.x + (x - this.width / 2) * (1 / before - 1 / after),
      y: this.#centre.y + (y - this.height / 2) * (1 / before - 1 / after),
    };
  }

  #set(centre, zoom) {
    this.zoom = this.#allowed(zoom);
    const half = this.height / 2 / this.scale;
    this.#centre = {
      x: centre.x - Math.floor(centre.x),
      y: between(Math.min(0.5, half - beyond), centre.y, Math.max(0.5, 1 - half + beyond)),
    };
    this.dispatchEvent(new Event('move'));
  }

  #resize() {
    const { clientWidth, clientHeight } = this.#area;
    const [width, height] = [Math.max(1, clientWidth), Math.max(1, clientHeight)];
    const ratio = Math.min(3, devicePixelRatio || 1);
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, { width, height, ratio });
    this.#canvas.width = Math.round(this.width * this.ratio);
    this.#canvas.height = Math.round(this.height * this.ratio);
    this.#set(this.#centre, this.zoom);
  }

  #stop() {
    cancelAnimationFrame(this.#flight);
    this.#flight = undefined;
  }

  #animate(from, to, anchor) {
    this.#stop();
    const began = performance.now();
    const step = (now) => {
      const part = between(0, (now - began) / 280, 1);
      const eased = 1 - (1 - part) ** 3;
      const zoom = from.zoom + (to.zoom - from.zoom) * eased;
      if (anchor) {
        this.#set(this.#around(anchor.x, anchor.y, zoom), zoom);
      } else {
        // The centre follows the ground size of a pixel, so that its speed on the screen is even.
        const factor = from.zoom === to.zoom
          ? eased
          : (2 ** -from.zoom - 2 ** -zoom) / (2 ** -from.zoom - 2 ** -to.zoom);
        const point = {
          x: from.x + (to.x - from.x) * factor,
          y: from.y + (to.y - from.y) * factor,
        };
        this.#set(point, zoom);
      }
      this.#flight = part < 1 ? requestAnimationFrame(step) : undefined;
    };
    this.#flight = requestAnimationFrame(step);
  }

  #position(event) {
    const box = this.#area.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #press(event) {
    if (event.button !== 0 || event.target.closest('.card, .tools')) return;
    this.#stop();
    if (this.#pointers.size === 0) this.#hasDragged = false;
    this.#pointers.set(event.pointerId, this.#position(event));
    this.#speed = undefined;
  }

  #drag(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = this.#position(event);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (!this.#hasDragged) {
      if (Math.hypot(dx, dy) < 5) return;
      this.#hasDragged = true;
      this.#area.setPointerCapture(event.pointerId);
    }
    if (this.#pointers.size === 1) {
      this.#speed = { dx, dy, time: event.timeStamp };
      this.#pan(dx, dy);
    } else {
      this.#pinch(event.pointerId, before, now);
    }
    this.#pointers.set(event.pointerId, now);
  }

  #pan(dx, dy) {
    const { x, y } = this.#centre;
    this.#set({ x: x - dx / this.scale, y: y - dy / this.scale }, this.zoom);
  }

  #pinch(id, before, now) {
    const other = [...this.#pointers].find(([key]) => key !== id)?.[1];
    if (!other) return;
    const apart = (point) => Math.max(20, Math.hypot(point.x - other.x, point.y - other.y));
    const zoom = this.#allowed(this.zoom + Math.log2(apart(now) / apart(before)));
    this.#set(this.#around((now.x + other.x) / 2, (now.y + other.y) / 2, zoom), zoom);
    this.#pan((now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  #release(event) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const speed = this.#speed;
    this.#speed = undefined;
    const isFast = speed && event.timeStamp - speed.time < 40
      && Math.hypot(speed.dx, speed.dy) > 6;
    if (this.#pointers.size === 0 && isFast && !isStill()) this.glide(speed.dx * 6, speed.dy * 6);
  }

  #wheel(event) {
    if (event.target.closest('.card')) return;
    event.preventDefault();
    this.#stop();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 300 : 1);
    const levels = between(-1, -pixels / (event.ctrlKey ? 60 : 240), 1);
    const { x, y } = this.#position(event);
    const zoom = this.#allowed(this.zoom + levels);
    this.#set(this.#around(x, y, zoom), zoom);
  }

  #doubleClick(event) {
    clearTimeout(this.#pick);
    if (event.target.closest('.card, .tools')) return;
    const { x, y } = this.#position(event);
    this.zoomBy(event.shiftKey ? -1 : 1, x, y);
  }

  #click(event) {
    if (this.#hasDragged || event.detail > 1) return;
    const { x, y } = this.#position(event);
    const detail = this.placeAt(x, y);
    // Wait: a second click would make it a double click, which zooms.
    this.#pick = setTimeout(() => this.dispatchEvent(new CustomEvent('pick', { detail })), 220);
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = event.shiftKey ? 240 : 96;
    switch (event.key) {
      case 'ArrowLeft': this.glide(step, 0); break;
      case 'ArrowRight': this.glide(-step, 0); break;
      case 'ArrowUp': this.glide(0, step); break;
      case 'ArrowDown': this.glide(0, -step); break;
      case '+': case '=': this.zoomBy(1); break;
      case '-': case '_': this.zoomBy(-1); break;
      case 'Enter': this.dispatchEvent(new CustomEvent('pick', { detail: this.centre })); break;
      default: return;
    }
    event.preventDefault();
  }
}
