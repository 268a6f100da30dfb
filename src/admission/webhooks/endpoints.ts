/**
 * The endpoints of Services, from EndpointSlices; it follows them.
 * Nothing is read before the first webhook with a Service. From then on each call applies the changes since the one before.
 *
 * @module
 */
import type { EndpointSlice } from "../../kinds/discovery/v1/endpointslice.ts";
import { guardOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Followed, Lookup } from "../../schema/lookup.ts";
import type { Loop } from "../../util/loop.ts";

/** Addresses with the port to which one port of a Service leads. */
export interface PortEndpoints {
  /** The name of the port; empty for a port without a name. */
  readonly port: string;
  readonly number: number;
  readonly addresses: readonly string[];
}

/** The endpoints of one slice. */
interface SliceEndpoints {
  readonly key: string;
  /** `namespace/name`. */
  readonly service: string;
  readonly ports: readonly PortEndpoints[];
}

const SLICES = "endpointslices.discovery.k8s.io";
const SERVICE_NAME = "kubernetes.io/service-name";
/** With more changes, everything is read again. */
const MAX_CHANGES = 1000;

const isSlice = guardOf<EndpointSlice>("EndpointSlice");

/** The endpoints of Services. */
export class ServiceEndpoints {
  readonly #lookup: Lookup;
  readonly #loop: Loop;
  readonly #followed: Followed;
  #mark: number | undefined = undefined;
  #loading: Promise<void> | undefined = undefined;
  #slices = new Map<string, SliceEndpoints>();
  /** The slices of a service, by its key. */
  #services = new Map<string, Map<string, SliceEndpoints>>();

  constructor(lookup: Lookup, loop: Loop) {
    this.#lookup = lookup;
    this.#loop = loop;
    this.#followed = lookup.follow(SLICES);
  }

  /** The endpoints of a Service; undefined where it has no slices. */
  async of(namespace: string, name: string): Promise<readonly PortEndpoints[] | undefined> {
    await this.#catchUp();
    const slices = this.#services.get(`${namespace}/${name}`);
    return slices && [...slices.values()].flatMap(({ ports }) => ports);
  }

  #catchUp(): Promise<void> | undefined {
    if (this.#loading) return this.#loading;
    const { mark } = this.#followed;
    if (mark === this.#mark) return undefined;
    const changes = this.#mark === undefined ? undefined : this.#followed.changedSince(this.#mark);
    if (!changes || changes.length > MAX_CHANGES) return this.#load(mark);
    for (const { namespace, name } of changes) {
      this.#put(`${namespace}/${name}`, readSlice(this.#lookup.get(SLICES, namespace, name)));
    }
    this.#mark = mark;
    return undefined;
  }

  #load(mark: number): Promise<void> {
    this.#loading = this.#readAll(mark).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #readAll(mark: number): Promise<void> {
    const slices = await this.#lookup.collect(SLICES, readSlice);
    this.#slices = new Map();
    this.#services = new Map();
    const slice = this.#loop.slice();
    for (const one of slices) {
      if (slice.isOver) await slice.pause();
      this.#put(one.key, one);
    }
    this.#mark = mark;
  }

  #put(key: string, slice: SliceEndpoints | undefined): void {
    const before = this.#slices.get(key);
    if (before) {
      const others = this.#services.get(before.service);
      others?.delete(key);
      if (others?.size === 0) this.#services.delete(before.service);
    }
    if (!slice) return void this.#slices.delete(key);
    this.#slices.set(key, slice);
    let slices = this.#services.get(slice.service);
    if (!slices) this.#services.set(slice.service, (slices = new Map()));
    slices.set(key, slice);
  }
}

function readSlice(object: ApiObject | undefined): SliceEndpoints | undefined {
  if (!isSlice(object)) return undefined;
  const { namespace = "", name = "", labels } = object.metadata;
  const service = labels?.[SERVICE_NAME];
  if (service === undefined) return undefined;
  const ready = (object.endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  const addresses = ready.flatMap(({ addresses: [first] }) => first ?? []);
  const ports = (object.ports ?? []).flatMap(({ name: port = "", port: number }) =>
    number === undefined || number === null ? [] : [{ port: port ?? "", number, addresses }],
  );
  return { key: `${namespace}/${name}`, service: `${namespace}/${service}`, ports };
}
