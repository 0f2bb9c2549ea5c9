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
  #live;
  #open;
  #abort;
  #next;
  #query;
  #count = 0;
  #shown = 0;
  #rows = new Map();
  #chips;
  #told;
  /** The events of the list by their id. */
  events = new Map();

  /** Creates the results of a view; `live` follows them, and `open` shows an event's card. */
  constructor(view, markers, live, open) {
    this.#view = view;
    this.#markers = markers;
    this.#live = live;
    this.#open = open;
    field('more').addEventListener('click', () => this.#more());
  }

  /**
   * Requests the events of a state, and aborts earlier requests.
   *
   * If `entered` is set, it updates the page quietly, and announces these new events by their ids.
   * Returns false if a request failed.
   */
  async load(state, entered) {
    this.#abort?.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const { bounds } = this.#view;
    const query = filter(state, bounds);
    // It is not quiet if it replaces a load that was not.
    const isQuiet = entered !== undefined && field('busy').hidden;
    field('busy').hidden = isQuiet;
    let isDone = true;
    try {
      await this.#live.prepare(query, bounds, signal);
      await Promise.all([
        this.#loadClusters(query, entered, signal),
        this.#loadList(state, query, isQuiet, signal),
        this.#loadCategories(state, query, signal),
      ]);
      field('problem').hidden = true;
      this.#tell(state, entered);
      this.#live.follow();
    } catch (error) {
      if (error.name === 'AbortError') return true;
      this.#abort.abort();
      if (hasOtherZone(error)) return this.load(state, entered);
      if (!isQuiet) this.#fail(error);
      isDone = false;
    }
    field('busy').hidden = true;
    return isDone;
  }

  async #loadClusters({ lat, lon, ...query }, entered, signal) {
    const zoom = clusterZoom(this.#view);
    const { clusters } = await get(target('/v1/events/clusters', { ...query, zoom }), signal);
    this.#count = clusters.reduce((sum, cluster) => sum + cluster.count, 0);
    this.#markers.show(clusters, entered);
  }

  async #loadList(state, query, isQuiet, signal) {
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
    let page = await this.#page(list, undefined, signal);
    while (isQuiet && page.next !== null && page.events.length < this.#shown) {
      const { events, next } = await this.#page(list, page.next, signal);
      page = { events: [...page.events, ...events], next };
    }
    this.#query = { list, at: state.at };
    this.#links(list);
    this.#replace(page);
    if (!state.category) this.#showCategories(page.events);
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
    const chips = JSON.stringify([names, chosen]);
    if (chips === this.#chips) return;
    this.#chips = chips;
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

  /** Replaces the list; rows that stay the same keep their element, so they also keep the focus. */
  #replace(page) {
    const list = field('list');
    const focused = list.contains(document.activeElement) ? document.activeElement : undefined;
    const before = this.#rows;
    this.#rows = new Map();
    this.events.clear();
    const rows = this.#made(page.events, before);
    const remaining = new Set(rows);
    for (const { shown } of before.values()) if (!remaining.has(shown)) shown.remove();
    rows.forEach((shown, index) => {
      const there = list.children[index];
      if (there !== shown) list.insertBefore(shown, there ?? null);
    });
    this.#finish(page);
    if (!focused || focused === document.activeElement) return;
    const { id } = focused.closest('.row').dataset;
    const same = list.querySelector(`[data-id="${id}"] .${focused.className}`);
    (same ?? field('results')).focus({ preventScroll: true });
  }

  /** Returns a row for each event that the list lacks, an unchanged one from `before`. */
  #made(events, before = new Map()) {
    const { at } = this.#query;
    return events.filter((event) => !this.events.has(event.id)).map((event) => {
      const old = before.get(event.id);
      const text = JSON.stringify([event, at, words.period(event), words.nearness(event)]);
      const shown = old?.text === text ? old.shown : row(event, at, this.#open);
      if (old) shown.className = old.shown.className;
      this.events.set(event.id, event);
      this.#rows.set(event.id, { shown, text });
      return shown;
    });
  }

  #append(page) {
    const rows = this.#made(page.events);
    field('list').append(...rows);
    this.#finish(page);
    return rows;
  }

  /** Notes the end of the list. */
  #finish({ next }) {
    this.#shown = this.events.size;
    this.#next = next;
    field('more').hidden = next === null;
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

  /** Shows the number of events, and what is new; nothing if nothing has changed. */
  #tell({ when, words: wanted }, entered) {
    const isEmpty = this.#total === 0;
    const count = isEmpty ? 'No events' : words.counted(this.#total, 'event');
    const verb = this.#total === 1 ? 'matches' : 'match';
    const text = wanted
      ? `${count} ${verb} “${wanted.trim()}” here.` : `${count} ${windowNames[when]}.`;
    const news = words.news([...entered ?? []].flatMap((id) => this.events.get(id) ?? []));
    if (!entered || news !== '' || text !== this.#told) {
      field('status').textContent = `${text} ${news}`.trim();
    }
    this.#told = text;
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
