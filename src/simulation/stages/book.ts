/** The Stages of a cluster. */
export class StageBook {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Adds the Stages of a text. */
  add(_yaml: string, _from: string): void {}

  /** Whether there are Stages for a kind. */
  has(_kind: string): boolean {
    return false;
  }

  fork(): StageBook {
    return new StageBook(this.#seed);
  }
}
