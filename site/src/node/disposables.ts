/**
 * Explicit resource management for browsers that lack it (Safari 26): `Symbol.dispose`, `Symbol.asyncDispose`, `DisposableStack` and
 * `AsyncDisposableStack`. It is imported before all other modules, whose classes have members with these names.
 *
 * @module
 */

for (const name of ["dispose", "asyncDispose"] as const) {
  if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}

/** What is done when a stack is disposed, the last first. */
type Work = () => unknown;

/** What both stacks share: their work, and whether they are disposed. */
class Stack {
  #works: Work[] = [];
  #isDisposed = false;

  get disposed(): boolean {
    return this.#isDisposed;
  }

  defer(work: Work): void {
    if (this.#isDisposed) throw new ReferenceError("expected a stack that is not disposed");
    this.#works.push(work);
  }

  adopt<T>(value: T, work: (value: T) => unknown): T {
    this.defer(() => work(value));
    return value;
  }

  /** Disposes the stack, and returns its work, the last first. */
  protected end(): readonly Work[] {
    const works = this.#works.toReversed();
    this.#works = [];
    this.#isDisposed = true;
    return works;
  }
}

/** The error of a dispose, over the one before it. */
const joined = (errors: readonly unknown[], error: unknown): readonly unknown[] =>
  errors.length === 0 ? [error] : [Object.assign(new Error("errors of a stack"), { error, suppressed: errors[0] })];

/** `DisposableStack` of ECMAScript 2026. */
export class PageDisposableStack extends Stack implements DisposableStack {
  readonly [Symbol.toStringTag] = "DisposableStack";

  use<T extends Disposable | null | undefined>(value: T): T {
    if (value) this.defer(() => value[Symbol.dispose]());
    return value;
  }

  move(): PageDisposableStack {
    const moved = new PageDisposableStack();
    for (const work of this.end().toReversed()) moved.defer(work);
    return moved;
  }

  dispose(): void {
    let errors: readonly unknown[] = [];
    for (const work of this.end()) {
      try {
        work();
      } catch (error) {
        errors = joined(errors, error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** `AsyncDisposableStack` of ECMAScript 2026. */
export class PageAsyncDisposableStack extends Stack implements AsyncDisposableStack {
  readonly [Symbol.toStringTag] = "AsyncDisposableStack";

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    if (value)
      this.defer(() =>
        Symbol.asyncDispose in value ? value[Symbol.asyncDispose]() : (value as Disposable)[Symbol.dispose](),
      );
    return value;
  }

  move(): PageAsyncDisposableStack {
    const moved = new PageAsyncDisposableStack();
    for (const work of this.end().toReversed()) moved.defer(work);
    return moved;
  }

  async disposeAsync(): Promise<void> {
    let errors: readonly unknown[] = [];
    for (const work of this.end()) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, the last first
        await work();
      } catch (error) {
        errors = joined(errors, error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

if (!("DisposableStack" in globalThis)) {
  Object.assign(globalThis, { DisposableStack: PageDisposableStack, AsyncDisposableStack: PageAsyncDisposableStack });
}
