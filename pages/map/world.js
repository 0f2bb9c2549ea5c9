// Parses world.txt: land, lakes, borders and names. See make-world.py for the format.

import { yOf } from './mercator.js';

const base = 45;
const first = 0x25;
const unit = 0.002;

/** Parses the numbers of a line: longitude and latitude in turn. */
function* numbers(line) {
  let value = 0;
  let weight = 1;
  for (let index = 0; index < line.length; index += 1) {
    const digit = line.charCodeAt(index) - first;
    value += (digit % base) * weight;
    weight *= base;
    if (digit < base) {
      yield value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      value = 0;
      weight = 1;
    }
  }
}

/** Returns the lines of a section as points in the projection's square, with their bounds. */
const shapes = (lines) => {
  let start = [0, 0];
  return lines.map((line) => {
    const steps = [...numbers(line)];
    const points = new Float64Array(steps.length);
    const extent = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
    let [lon, lat] = start;
    for (let index = 0; index < steps.length; index += 2) {
      lon += steps[index];
      lat += steps[index + 1];
      if (index === 0) start = [lon, lat];
      const x = lon * unit / 360 + 0.5;
      // South of the square, so that Antarctica has no visible lower edge.
      const y = yOf(lat * unit, 89);
      points[index] = x;
      points[index + 1] = y;
      extent.left = Math.min(extent.left, x);
      extent.right = Math.max(extent.right, x);
      extent.top = Math.min(extent.top, y);
      extent.bottom = Math.max(extent.bottom, y);
    }
    return { points, ...extent };
  });
};

const labels = (lines) => lines.map((line) => {
  const [name, lon, lat, rank] = line.split('|');
  return { name, lat: Number(lat), lon: Number(lon), rank: Number(rank) };
});

/** Returns the contents of world.txt. */
export const parseWorld = (text) => {
  const sections = {};
  let lines = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('= ')) {
      lines = [];
      sections[line.slice(2)] = lines;
    } else if (line !== '') {
      lines.push(line);
    }
  }
  return {
    land: shapes(sections.land ?? []),
    lakes: shapes(sections.lakes ?? []),
    borders: shapes(sections.borders ?? []),
    countries: labels(sections.countries ?? []),
    cities: labels(sections.cities ?? []),
  };
};
