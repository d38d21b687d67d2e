// State: what the reader has chosen, and who is told when it changes.

export class State {
  #readers = [];

  constructor(values) {
    this.values = values;
  }

  get(name) {
    return this.values[name];
  }

  set(changes) {
    const changed = Object.keys(changes).filter((name) => this.values[name] !== changes[name]);
    if (!changed.length) return;
    Object.assign(this.values, changes);
    for (const [names, reader] of this.#readers) {
      if (changed.some((name) => names.includes(name))) reader(changed);
    }
  }

  on(names, reader) {
    this.#readers.push([names, reader]);
  }
}
