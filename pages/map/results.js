// Loads the visible events: clusters for the map, and pages for the list.

import { clusterZoom, filter, get, hasOtherZone, target, units } from './api.js';
import { row } from './elements.js';
import * as words from './words.js';

const pageSize = 30;
/** The maximum number of empty pages to skip: an empty page can still have a next page. */
const mostEmptyPages = 5;
const field = (id) => document.getElementById(id);
const windowNames = {
  now: 'here now', today: 'here today', weekend: 'here this weekend', upcoming: 'coming up here',
  any: 'here at any time',
};

export class Results {
  #view;
  #markers;
  #open;
  #abort;
  #next;
  #query;
  #count = 0;
  #shown = 0;
  #isComplete = true;
  /** The events of the list by their id. */
  events = new Map();

  /** Creates the results of a view; `open` shows an event's card. */
  constructor(view, markers, open) {
    this.#view = view;
    this.#markers = markers;
    this.#open = open;
    field('more').addEventListener('click', () => this.#more());
  }

  /** Requests the events of a state, and aborts earlier requests. */
  async load(state) {
    this.#abort?.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const query = filter(state, this.#view.bounds);
    field('busy').hidden = false;
    try {
      await Promise.all([
        this.#loadClusters(query, signal),
        this.#loadList(state, query, signal),
      ]);
      field('problem').hidden = true;
      this.#tell(state);
    } catch (error) {
      if (error.name === 'AbortError') return;
      this.#abort.abort();
      if (hasOtherZone(error)) {
        await this.load(state);
        return;
      }
      this.#fail(error);
    }
    field('busy').hidden = true;
  }

  async #loadClusters({ lat, lon, ...query }, signal) {
    const zoom = clusterZoom(this.#view);
    const { clusters } = await get(target('/v1/events/clusters', { ...query, zoom }), signal);
    this.#count = clusters.reduce((sum, cluster) => sum + cluster.count, 0);
    this.#markers.show(clusters);
  }

  async #loadList(state, query, signal) {
    // Without a time window, the newest events are more interesting than the oldest.
    const byTime = state.when === 'any' ? '-started_at' : 'started_at';
    const sort = state.at && state.sort === 'distance' ? 'distance' : byTime;
    const list = { ...query, units: state.at ? units : undefined, sort, limit: pageSize };
    const page = await this.#page(list, undefined, signal);
    this.#query = { list, at: state.at };
    this.#links(list);
    this.events.clear();
    const focused = document.activeElement?.closest('.row')?.dataset.id;
    field('list').replaceChildren();
    this.#append(page);
    if (focused) field('list').querySelector(`[data-id="${focused}"] .name`)?.focus();
  }

  /** Returns the next page with events, or the last page. */
  async #page(list, cursor, signal) {
    let page = { events: [], next: cursor };
    for (let count = 0; count < mostEmptyPages && page.events.length === 0; count += 1) {
      page = await get(target('/v1/events', { ...list, cursor: page.next ?? undefined }), signal);
      if (page.next === null) break;
    }
    return page;
  }

  #append({ events, next }) {
    const rows = events.filter((event) => !this.events.has(event.id)).map((event) => {
      this.events.set(event.id, event);
      return row(event, this.#query.at, this.#open);
    });
    field('list').append(...rows);
    this.#shown = this.events.size;
    this.#next = next;
    field('more').hidden = next === null;
    return rows;
  }

  async #more() {
    const { list } = this.#query;
    const button = field('more');
    button.disabled = true;
    try {
      const page = await this.#page(list, this.#next, this.#abort.signal);
      const [first] = this.#append(page);
      first?.querySelector('.name').focus({ preventScroll: true });
      const total = words.counted(this.#total, 'event');
      field('status').textContent = `The list shows ${this.#shown} of ${total}.`;
    } catch (error) {
      if (error.name !== 'AbortError') this.#fail(error);
    } finally {
      button.disabled = false;
    }
  }

  get #total() {
    return Math.max(this.#count, this.#shown);
  }

  /** Shows the number of events. */
  #tell({ when }) {
    const isEmpty = this.#total === 0;
    field('status').textContent = isEmpty
      ? `No events ${windowNames[when]}.`
      : `${words.counted(this.#total, 'event')} ${windowNames[when]}.`;
    field('empty').hidden = !isEmpty;
    field('empty').firstElementChild.textContent =
      'Zoom out, choose another time, or jump to the event nearest to the middle of the map.';
    field('footer').hidden = isEmpty;
  }

  #fail(error) {
    const isKnown = error.isTemporary !== undefined;
    field('problem').firstElementChild.textContent =
      isKnown ? error.message : 'Something went wrong on this page. Reload it.';
    field('problem').hidden = false;
    field('empty').hidden = true;
    field('status').textContent = '';
    if (!isKnown) console.error(error);
  }

  /** Sets the links to the same list in other formats. */
  #links({ limit, ...list }) {
    for (const link of document.querySelectorAll('[data-suffix]')) {
      link.href = target(`/v1/events${link.dataset.suffix}`, list);
    }
  }
}
