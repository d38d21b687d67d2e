// Text: how numbers and values read, and elements that are made without a line of HTML.
// Every name reaches the page as a text node: nothing that a table holds can become markup.

const SVG = "http://www.w3.org/2000/svg";

export function element(tag, settings = {}, ...children) {
  return furnish(document.createElement(tag), settings, children);
}

export function shape(tag, settings = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), settings, children);
}

function furnish(made, settings, children) {
  for (const [name, value] of Object.entries(settings)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "css")
      Object.assign(made.style, value); // style attributes are forbidden by the policy
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...present(children));
  return made;
}

export function replaceChildren(parent, ...children) {
  parent.replaceChildren(...present(children));
}

// Lists in lists are laid out flat, and what is not there is left out.
function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

export function numberText(number, digits = 4) {
  if (number === null || number === undefined || !Number.isFinite(number)) return "–";
  const rounded = Number.isInteger(number) ? number : Number(number.toPrecision(digits));
  return Math.abs(rounded) >= 1e6 && Math.abs(rounded) < 1e15 ? rounded.toLocaleString("en") : String(rounded);
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

// A number for an axis, where there is little room: 600M.
export function compactText(number) {
  return Math.abs(number) < 1e4 || Math.abs(number) >= 1e15 ? numberText(number, 3) : compact.format(number);
}

export function percentText(share) {
  const rounded = Math.round(100 * share);
  if (rounded === 100 && share < 1) return ">99\u00a0%";
  if (rounded === 0 && share > 0) return "<1\u00a0%";
  return `${rounded}\u00a0%`;
}

// Losses differ by less than a percent.
export function fineText(share) {
  const rounded = Number((100 * share).toFixed(1));
  return share > 0 && rounded === 0 ? "<0.1\u00a0%" : `${rounded}\u00a0%`;
}

// Round numbers between two others, about as many as wanted: where an axis has its ticks.
export function roundNumbers(low, high, wanted = 4) {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= 0.999 * rough);
  const numbers = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + 1e-9 * step; place++)
    numbers.push(Number((place * step).toPrecision(12)));
  return numbers;
}

export function counted(number, one, many = `${one}s`) {
  return `${numberText(number)} ${number === 1 ? one : many}`;
}

// A stored value of a feature as its reader knows it: a category, a date, a number.
export function valueText(feature, value) {
  if (value === null || value === undefined || (feature.kind === "categorical" && value < 0))
    return "missing";
  if (feature.categories)
    return feature.categories[Math.max(0, Math.min(Math.floor(value), feature.categories.length - 1))];
  if (isDate(feature)) return dateText(feature, value);
  const number = value + (feature.offset || 0);
  if (!Number.isFinite(number)) return "–";
  return String(Number.isSafeInteger(number) ? number : Number(number.toPrecision(6))); // as the table has it
}

const MILLISECONDS = { D: 864e5, h: 36e5, m: 6e4, s: 1e3, ms: 1, us: 1e-3, ns: 1e-6 };

export function isDate(feature) {
  return Boolean(feature.unit?.startsWith("datetime64"));
}

const unitOf = (feature) => MILLISECONDS[feature.unit.slice(11, -1)];

// How much of a feature of dates is a day.
export const dayOf = (feature) => MILLISECONDS.D / unitOf(feature);

function dateText(feature, value) {
  const unit = unitOf(feature);
  const date = new Date((value + (feature.offset || 0)) * unit);
  if (!unit || Number.isNaN(date.getTime())) return numberText(value);
  return date
    .toISOString()
    .replace(/T00:00:00\.000Z$/, "")
    .replace(/(:00)?(\.000)?Z$/, ""); // minutes, and seconds where there are some
}

// Browsers make dates of much else, in the time of wherever they are.
function milliseconds(typed) {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d.*?)Z?)?$/.exec(typed);
  return parts ? Date.parse(`${parts[1]}T${parts[2] ?? "00:00"}Z`) : NaN;
}

// What was typed as a stored value: null if it is empty, NaN if it is none.
export function readValue(feature, text) {
  const typed = text.trim();
  if (typed === "") return null;
  const number = isDate(feature) ? milliseconds(typed) / unitOf(feature) : Number(typed);
  return number - (feature.offset || 0);
}

// Text in which dates are not broken at their hyphens.
export function whole(text) {
  return text
    .split(/(\d+-\d+-\d\S*)/)
    .map((part, place) => (place % 2 ? element("span", { class: "whole" }, part) : part));
}

// A name that runs from right to left does not turn the signs and numbers beside it.
export function isolated(name) {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}

export function shortened(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

// Names that begin alike are told apart by how they end.
export function abridged(text, most) {
  const end = Math.floor((most - 1) / 2);
  return text.length <= most ? text : `${text.slice(0, most - 1 - end)}…${text.slice(-end)}`;
}
