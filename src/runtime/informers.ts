import { type ApiObject, type Client, type Kind, type Scope, nameOfKind } from "../client/index.ts";
import type { Index, Informer, InformerSpec } from "./informer.ts";
import { addTo, removeFrom } from "./sets-by-key.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";

/** A held informer; disposing of it ends its listeners and indexes. */
export interface HeldInformer<T extends ApiObject = ApiObject, S extends Scope = Scope, X extends string = string>
  extends Informer<T, S, X>, Disposable {
  readonly reflector: Reflector;
}

interface Shared {
  readonly reflector: Reflector;
  holders: number;
}

/** The options of reflectors. */
export type InformersOptions = Omit<ReflectorOptions, "selection"> & { readonly client: Client };

/** The informers of a manager: equal specs share one reflector, which stops when its last holder is disposed of. */
export class Informers {
  readonly #options: InformersOptions;
  readonly #shared = new Map<string, Shared>();
  /** The reflectors by kind: there may be thousands of one kind. */
  readonly #ofKind = new Map<string, Set<Reflector>>();
  #isStopped = false;

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  /** Returns the running informer of a spec. */
  hold<T extends ApiObject, S extends Scope, X extends string>(spec: InformerSpec<T, S, X>): HeldInformer<T, S, X> {
    const id = this.#idFor(spec);
    let shared = this.#shared.get(id);
    if (!shared) {
      this.#shared.set(id, (shared = { reflector: this.#reflectorOf(spec), holders: 0 }));
      addTo(this.#ofKind, nameOfKind(spec.kind), shared.reflector);
      if (!this.#isStopped) shared.reflector.start();
    }
    shared.holders++;
    return viewOf(shared.reflector, spec, () => this.#release(id));
  }

  /** Returns all reflectors of a kind. */
  of(kind: Kind): readonly Reflector[] {
    return [...(this.#ofKind.get(nameOfKind(kind)) ?? [])];
  }

  /** Stops all reflectors. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const all = [...this.#shared.values()];
    this.#shared.clear();
    this.#ofKind.clear();
    await Promise.all(all.map(({ reflector }) => reflector.stop()));
  }

  /** A reflector of whole objects also serves specs of metadata, or of parts. */
  #idFor(spec: InformerSpec): string {
    const whole = idOf({ ...spec, keep: undefined }, false);
    return this.#shared.has(whole) ? whole : idOf(spec, spec.kind.metadataOnly === true);
  }

  #reflectorOf({ kind, selection, keep }: InformerSpec): Reflector {
    const { client, ...options } = this.#options;
    return new Reflector(client.resource(kind), { ...options, selection, keep: keep ?? options.keep });
  }

  #release(id: string): void {
    const shared = this.#shared.get(id);
    if (!shared || --shared.holders > 0) return;
    this.#shared.delete(id);
    removeFrom(this.#ofKind, nameOfKind(shared.reflector.kind), shared.reflector);
    void shared.reflector.stop();
  }
}

/** Whether the informer of one spec has all that the other requires. */
export const serves = (one: InformerSpec, other: InformerSpec): boolean => {
  const isPart = one.kind.metadataOnly === true;
  const asked = one.keep === undefined ? { ...other, keep: undefined } : other;
  return idOf(one, isPart) === idOf(asked, isPart && other.kind.metadataOnly === true);
};

const idOf = ({ kind, selection, keep }: InformerSpec, metadataOnly: boolean): string => {
  const { group, version, plural } = kind;
  const { namespace, labelSelector, fieldSelector } = selection;
  const kept = keep === undefined ? 0 : numberOf(keep);
  return JSON.stringify([group, version, plural, metadataOnly, namespace, labelSelector, fieldSelector, kept]);
};

/** Numbers functions, for IDs. */
function numbering(): (keep: object) => number {
  const numbers = new WeakMap<object, number>();
  let count = 0;
  return (keep) => {
    let number = numbers.get(keep);
    if (number === undefined) numbers.set(keep, (number = ++count));
    return number;
  };
}

const numberOf = numbering();

function viewOf<T extends ApiObject, S extends Scope, X extends string>(
  reflector: Reflector,
  { kind, indexes }: InformerSpec<T, S, X>,
  release: () => void,
): HeldInformer<T, S, X> {
  let held = true;
  const subscriptions = new Set<() => void>();
  const { memory } = reflector;
  const named = memory.name(Object.values(indexes) as Index<ApiObject>[]);
  return {
    reflector,
    get state() {
      return reflector.state;
    },
    get: (key) => memory.get(key) as T | undefined,
    list: (filter) => memory.list(filter) as readonly T[],
    by(name, value) {
      const index = indexes[name] as Index<ApiObject> | undefined;
      if (!index) throw new Error(`expected an index of ${kind.plural} that its informer names, got ${name}`);
      return memory.by(index, value) as readonly T[];
    },
    on(listener) {
      const subscription = reflector.listen((event) => listener(event as Parameters<typeof listener>[0]));
      const end = (): void => {
        subscriptions.delete(end);
        subscription[Symbol.dispose]();
      };
      subscriptions.add(end);
      return { [Symbol.dispose]: end };
    },
    [Symbol.dispose]() {
      if (!held) return;
      held = false;
      for (const end of subscriptions) end();
      named[Symbol.dispose]();
      release();
    },
  };
}
