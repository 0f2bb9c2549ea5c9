// Paints the ground of the map: land, borders and names, or the tiles of a server.

import { fromPlace } from './mercator.js';
import { Tiles } from './tiles.js';

/** The width of the border around the visible part in which lines are exact, in px. */
const margin = 16;

/** Returns the sides of the visible part that a point is beyond, as bits. */
const side = (x, y, width, height) =>
  (x < -margin ? 1 : x > width + margin ? 2 : 0)
  | (y < -margin ? 4 : y > height + margin ? 8 : 0);

export class Ground {
  #context;
  #world;
  #tiles;
  #colours = {};
  #widths = new Map();
  /** Returns the boxes that names should not cover, in px. */
  obstacles = () => [];

  /** Creates the ground of a canvas; `didChange` is called when it needs to be painted again. */
  constructor(canvas, { tiles, didChange }) {
    this.#context = canvas.getContext('2d', { alpha: false });
    this.#tiles = tiles ? new Tiles(tiles, didChange) : undefined;
    this.readColours();
  }

  set world(world) {
    this.#world = world;
  }

  /** Reads the colours of the current colour scheme from the style sheet. */
  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['water', 'land', 'border', 'grid', 'label', 'halo']) {
      this.#colours[name] = style.getPropertyValue(`--map-${name}`).trim();
    }
  }

  /** Paints the part of the world that a view shows. */
  paint(view) {
    const context = this.#context;
    const { width, height, ratio } = view;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = this.#colours.water;
    context.fillRect(0, 0, width, height);
    for (const left of this.#copies(view)) {
      if (this.#world) this.#paintWorld(view, left);
      this.#tiles?.paint(context, view, left);
    }
    if (this.#world && !this.#tiles) {
      this.#paintGrid(view);
      this.#paintNames(view);
    }
  }

  /** Returns the left edges of the visible copies of the world, in px. */
  #copies({ width, scale, origin }) {
    const copies = [];
    let left = -origin.x * scale;
    left -= Math.ceil(left / scale) * scale;
    for (; left < width; left += scale) copies.push(left);
    return copies;
  }

  #paintWorld(view, left) {
    const context = this.#context;
    const paint = (shapes, isClosed) => {
      context.beginPath();
      for (const shape of shapes) this.#trace(shape, view, left, isClosed);
    };
    context.lineJoin = 'round';
    context.fillStyle = this.#colours.land;
    context.strokeStyle = this.#colours.land;
    context.lineWidth = 0.75;
    paint(this.#world.land, true);
    context.fill('evenodd');
    // Hides the edge at 180 degrees.
    context.stroke();
    context.fillStyle = this.#colours.water;
    paint(this.#world.lakes, true);
    context.fill('evenodd');
    context.strokeStyle = this.#colours.border;
    context.lineWidth = 1;
    paint(this.#world.borders, false);
    context.stroke();
  }

  /** Adds a shape to the path, without points that are too close to see. */
  #trace(shape, { width, height, scale, origin }, left, isClosed) {
    const top = -origin.y * scale;
    const [minX, maxX] = [shape.left * scale + left, shape.right * scale + left];
    const [minY, maxY] = [shape.top * scale + top, shape.bottom * scale + top];
    if (maxX < 0 || minX > width || maxY < 0 || minY > height) return;
    if (maxX - minX < 1 && maxY - minY < 1) return;
    const { points } = shape;
    const count = points.length;
    const path = [];
    let [x, y, sides] = [0, 0, 0];
    let isSkipped = false;
    for (let index = 0; index < count; index += 2) {
      const nextX = points[index] * scale + left;
      const nextY = points[index + 1] * scale + top;
      if (index === 0) {
        path.push(nextX, nextY);
      } else {
        const isTiny = Math.abs(nextX - x) < 0.7 && Math.abs(nextY - y) < 0.7;
        const nextSides = side(nextX, nextY, width, height);
        // Segments beyond one side of the visible part can be replaced by a straight line.
        const isHidden = (sides & nextSides) !== 0;
        if ((isTiny || isHidden) && index + 2 < count) {
          if (isHidden) {
            [x, y, sides, isSkipped] = [nextX, nextY, sides & nextSides, true];
          }
          continue;
        }
        if (isSkipped) path.push(x, y);
        path.push(nextX, nextY);
        isSkipped = false;
      }
      [x, y] = [nextX, nextY];
      sides = side(x, y, width, height);
    }
    this.#draw(path, isClosed);
  }

  /** Adds a path as a curve through the midpoints of its lines. */
  #draw(path, isClosed) {
    const context = this.#context;
    const count = path.length;
    if (isClosed) path.push(path[0], path[1], path[2], path[3]);
    const middle = (index) => [
      (path[index] + path[index + 2]) / 2, (path[index + 1] + path[index + 3]) / 2,
    ];
    context.moveTo(...(isClosed ? middle(0) : path.slice(0, 2)));
    for (let index = 2; index < path.length - 2; index += 2) {
      context.quadraticCurveTo(path[index], path[index + 1], ...middle(index));
    }
    if (isClosed) context.closePath();
    else context.lineTo(path[count - 2], path[count - 1]);
  }

  /** Paints lines of latitude and longitude, so that movement is visible without land. */
  #paintGrid({ width, height, scale, origin, zoom }) {
    const context = this.#context;
    const step = scale / 2 ** Math.max(2, Math.round(zoom) + 1);
    context.beginPath();
    for (let x = -((origin.x * scale) % step + step) % step; x < width; x += step) {
      context.moveTo(Math.round(x) + 0.5, 0);
      context.lineTo(Math.round(x) + 0.5, height);
    }
    for (let y = -((origin.y * scale) % step + step) % step; y < height; y += step) {
      context.moveTo(0, Math.round(y) + 0.5);
      context.lineTo(width, Math.round(y) + 0.5);
    }
    context.strokeStyle = this.#colours.grid;
    context.lineWidth = 1;
    context.stroke();
  }

  #paintNames(view) {
    const { zoom } = view;
    const taken = this.obstacles();
    this.#context.lineJoin = 'round';
    this.#context.lineWidth = 3;
    this.#context.textBaseline = 'middle';
    if (zoom < 7) {
      for (const label of this.#world.countries) {
        if (label.rank <= zoom + 0.6) this.#paintName(label, view, taken, true);
      }
    }
    if (zoom < 2.8) return;
    const most = zoom < 4 ? 40 : zoom < 5 ? 110 : Infinity;
    for (const label of this.#world.cities) {
      if (label.rank < most) this.#paintName(label, view, taken, false);
    }
  }

  /** Paints a name unless it would cover another one. */
  #paintName(label, view, taken, isCountry) {
    const at = view.project(label.at ??= fromPlace(label));
    if (at.x < -80 || at.y < -20 || at.x > view.width + 80 || at.y > view.height + 20) return;
    const context = this.#context;
    context.font = isCountry
      ? '600 12px system-ui, sans-serif'
      : `500 ${view.zoom < 6 ? 11.5 : 13}px system-ui, sans-serif`;
    const key = context.font + label.name;
    if (!this.#widths.has(key)) this.#widths.set(key, context.measureText(label.name).width);
    const wide = this.#widths.get(key);
    const middle = at.x - wide / 2;
    const positions = isCountry
      ? [[middle, at.y], [middle, at.y + 24], [middle, at.y - 24]]
      : [[at.x + 7, at.y], [at.x - wide - 7, at.y], [middle, at.y + 15], [middle, at.y - 15]];
    const boxes = positions.map(([x, y]) =>
      ({ left: x - 3, right: x + wide + 3, top: y - 9, bottom: y + 9 }));
    const free = boxes.findIndex((box) => !taken.some((other) =>
      box.left < other.right && other.left < box.right
      && box.top < other.bottom && other.top < box.bottom));
    if (free < 0) return;
    taken.push(boxes[free]);
    const [left, y] = positions[free];
    context.strokeStyle = this.#colours.halo;
    context.fillStyle = this.#colours.label;
    context.globalAlpha = isCountry ? 0.75 : 1;
    context.strokeText(label.name, left, y);
    context.fillText(label.name, left, y);
    context.globalAlpha = 1;
    if (isCountry) return;
    context.beginPath();
    context.arc(at.x, at.y, 2.5, 0, 2 * Math.PI);
    context.fill();
  }
}
