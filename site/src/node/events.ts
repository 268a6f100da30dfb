/**
 * `EventEmitter` for the parser of commands, which tells its observers in order.
 *
 * @module
 */
type Observer = (...values: readonly unknown[]) => void;

/** Tells observers by name, in the order in which they were added. */
export class EventEmitter {
  readonly #observers = new Map<string, Observer[]>();

  on(name: string, observer: Observer): this {
    this.#observers.set(name, [...(this.#observers.get(name) ?? []), observer]);
    return this;
  }

  emit(name: string, ...values: readonly unknown[]): boolean {
    const observers = this.#observers.get(name) ?? [];
    for (const observer of observers) observer.apply(this, values as unknown[]);
    return observers.length > 0;
  }

  listenerCount(name: string): number {
    return this.#observers.get(name)?.length ?? 0;
  }
}
