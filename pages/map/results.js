// Loads the visible events: clusters for the map, and pages for the list.

import { clusterZoom, filter, get, hasOtherZone, listFields, target, units } from './api.js';
import { element, row } from './elements.js';
import * as words from './words.js';

const pageSize = 30;
/** The maximum number of categories to choose from, besides the chosen one. */
const mostCategories = 8;
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
        this.#loadCategories(state, query, signal),
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
    const list = {
      ...query,
      units: state.at ? units : undefined,
      fields: listFields(state.at !== undefined),
      sort,
      limit: pageSize,
    };
    const page = await this.#page(list, undefined, signal);
    this.#query = { list, at: state.at };
    this.#links(list);
    this.events.clear();
    const focused = document.activeElement?.closest('.row')?.dataset.id;
    field('list').replaceChildren();
    this.#append(page);
    if (!state.category) this.#showCategories(page.events);
    if (focused) field('list').querySelector(`[data-id="${focused}"] .name`)?.focus();
  }

  /** If a category is chosen, requests the others of the view, because the list lacks them. */
  async #loadCategories(state, { category, ...query }, signal) {
    if (!category) return;
    const others = { ...query, fields: 'category', limit: pageSize };
    const { events } = await get(target('/v1/events', others), signal);
    this.#showCategories(events, category);
  }

  /** Shows the most frequent categories of events, and the chosen one. */
  #showCategories(events, chosen) {
    const counts = new Map();
    for (const { category } of events) {
      if (category) counts.set(category, (counts.get(category) ?? 0) + 1);
    }
    const names = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .map(([name]) => name).slice(0, mostCategories);
    if (chosen && !names.includes(chosen)) names.push(chosen);
    const box = field('categories');
    const focused = document.activeElement?.dataset.category;
    box.replaceChildren(...names.map((name) => element(
      'button',
      { type: 'button', data: { category: name }, aria: { pressed: String(name === chosen) } },
      name.replaceAll('-', ' '),
    )));
    box.hidden = names.length === 0;
    if (focused) box.querySelector(`[data-category="${focused}"]`)?.focus();
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
  #tell({ when, words: wanted }) {
    const isEmpty = this.#total === 0;
    const count = isEmpty ? 'No events' : words.counted(this.#total, 'event');
    const verb = this.#total === 1 ? 'matches' : 'match';
    field('status').textContent = wanted
      ? `${count} ${verb} “${wanted.trim()}” here.` : `${count} ${windowNames[when]}.`;
    field('empty').hidden = !isEmpty;
    field('empty').firstElementChild.textContent =
      `Zoom out, choose another time${wanted ? ' or other words' : ''}, or jump to the event `
      + 'nearest to the middle of the map.';
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
  #links({ limit, fields, ...list }) {
    for (const link of document.querySelectorAll('[data-suffix]')) {
      link.href = target(`/v1/events${link.dataset.suffix}`, list);
    }
  }
}
