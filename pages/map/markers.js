// Pins and clusters above the ground, as buttons.

import { fromPlace } from './mercator.js';
import { element, symbol } from './elements.js';
import * as words from './words.js';

/** The minimum distance between markers, in px. */
const least = 42;

const move = (marker, { x, y }) => {
  marker.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
};

/** Joins clusters that would overlap; the sum of their counts stays the same. */
export const joined = (clusters, scale) => {
  const groups = [];
  for (const cluster of clusters) {
    const at = fromPlace(cluster);
    const near = groups.find((group) =>
      Math.hypot(group.at.x - at.x, group.at.y - at.y) * scale < least);
    if (near) {
      const count = near.count + cluster.count;
      const share = cluster.count / count;
      near.at.x += (at.x - near.at.x) * share;
      near.at.y += (at.y - near.at.y) * share;
      near.count = count;
    } else {
      groups.push({ count: cluster.count, event: cluster.event, at });
    }
  }
  return groups;
};

export class Markers {
  #layer;
  #view;
  #actions;
  #markers = new Map();
  #point = element('div', { className: 'point', aria: { hidden: 'true' } });
  #ring = element('div', { className: 'pin ring', aria: { hidden: 'true' } }, symbol('pin'));
  #places = new Map();

  /**
   * Creates the markers; `actions` has `open` for events, `enter` for clusters and
   * `didChange` for new markers.
   */
  constructor(layer, view, actions) {
    this.#layer = layer;
    this.#view = view;
    this.#actions = actions;
    view.addEventListener('move', () => this.place());
  }

  /**
   * Shows these clusters. Markers that remain keep their element, so they also keep the focus.
   *
   * Pins of `entered` events appear with an animation.
   */
  show(clusters, entered) {
    const before = this.#markers;
    const focused = this.#places.get(document.activeElement);
    this.#markers = new Map();
    for (const group of joined(clusters, this.#view.scale)) {
      const key = `${group.count === 1 ? 'pin' : 'cluster'} ${group.event.id}`;
      const marker = before.get(key) ?? this.#made(group);
      before.delete(key);
      marker.group = group;
      if (group.count > 1) this.#count(marker, group.count);
      else this.#name(marker, group.event);
      this.#markers.set(key, marker);
      if (!marker.isConnected) {
        marker.classList.toggle('new', group.count === 1 && entered?.has(group.event.id) === true);
        this.#layer.append(marker);
      }
      this.#places.set(marker, group.at);
    }
    for (const marker of before.values()) {
      this.#places.delete(marker);
      marker.remove();
    }
    this.place();
    if (focused && !this.#places.has(document.activeElement)) this.#focusNear(focused);
    this.#actions.didChange();
  }

  /** Shows the point that distances are measured from. */
  set point(place) {
    this.#mark(this.#point, place);
  }

  /** Shows a ring around an event. */
  set ring(place) {
    this.#mark(this.#ring, place);
  }

  /** Moves all markers to their places in the view. */
  place() {
    for (const [marker, at] of this.#places) move(marker, this.#view.project(at));
  }

  /** Returns the boxes that markers cover, in px. */
  get boxes() {
    return [...this.#places].map(([marker, at]) => {
      const { x, y } = this.#view.project(at);
      const isPin = marker.classList.contains('pin');
      return isPin
        ? { left: x - 12, right: x + 12, top: y - 34, bottom: y - 4 }
        : { left: x - 20, right: x + 20, top: y - 18, bottom: y + 18 };
    });
  }

  #mark(marker, place) {
    if (place) {
      this.#places.set(marker, fromPlace(place));
      this.#layer.append(marker);
      this.place();
    } else {
      this.#places.delete(marker);
      marker.remove();
    }
  }

  #made(group) {
    const marker = element('button', { type: 'button' });
    if (group.count === 1) {
      marker.className = 'pin';
      marker.append(symbol('pin'));
    } else {
      marker.className = 'cluster';
    }
    marker.addEventListener('click', () => {
      if (marker.group.count === 1) this.#actions.open(marker.group.event, marker);
      else this.#actions.enter(marker.group);
    });
    return marker;
  }

  /** Moves the focus to the marker that took the place of another one. */
  #focusNear(place) {
    const apart = ({ group: { at } }) =>
      Math.hypot(at.x - place.x, at.y - place.y) * this.#view.scale;
    const [nearest] = [...this.#markers.values()].sort((a, b) => apart(a) - apart(b));
    if (nearest && apart(nearest) < least) nearest.focus({ preventScroll: true });
  }

  #name(marker, { name }) {
    marker.setAttribute('aria-label', name || 'Unnamed event');
    marker.title = name ?? '';
  }

  #count(marker, count) {
    marker.replaceChildren(element('span', {}, words.short(count)));
    marker.dataset.size = count < 10 ? 's' : count < 100 ? 'm' : count < 1000 ? 'l' : 'xl';
    marker.setAttribute('aria-label', `${words.counted(count, 'event')}. Zoom in`);
  }
}
