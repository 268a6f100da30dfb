/**
 * Where a webhook is: its URL, or an endpoint of its Service.
 *
 * A Service is looked up in this order: the map of the program (`--service-resolver`), its EndpointSlices, its Endpoints, its
 * own address. The name in the certificate is that of the Service in each case.
 *
 * @module
 */
import type { HookAddress } from "../../hooks/hooks.ts";
import type { Endpoints } from "../../kinds/core/v1/endpoints.ts";
import type { Service } from "../../kinds/core/v1/service/schema.ts";
import { guardOf } from "../../schema/api-object.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { Clock, Random } from "../../util/clock.ts";
import { goQuoted } from "../../util/go-quote.ts";
import { type PortEndpoints, ServiceEndpoints } from "./endpoints.ts";

/** The address of a webhook in an object. */
export interface ClientConfig {
  readonly url?: string | undefined;
  readonly service?: ServiceReference | undefined;
  /** Base64 of PEM. */
  readonly caBundle?: string | undefined;
}

/** The Service of a webhook. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string | undefined;
  readonly port?: number | undefined;
}

/** `HOST:PORT` by `NAMESPACE/NAME` or `NAMESPACE/NAME:PORT` of a Service. */
export type ServiceMap = ReadonlyMap<string, string>;

/** The parts for finding addresses. */
export interface AddressParts {
  readonly lookup: Lookup;
  readonly clock: Pick<Clock, "loop">;
  readonly random: Random;
  /** Services that listen at other addresses than those of their objects. */
  readonly services?: ServiceMap | undefined;
}

const HTTPS_PORT = 443;

const isService = guardOf<Service>("Service");
const isEndpoints = guardOf<Endpoints>("Endpoints");

/** Finds the addresses of webhooks. */
export class WebhookAddresses {
  readonly #parts: AddressParts;
  readonly #endpoints: ServiceEndpoints;
  /** The decoded bundles of configurations, by the reference to the address in its object. */
  readonly #bundles = new WeakMap<ClientConfig, string>();

  constructor(parts: AddressParts) {
    this.#parts = parts;
    this.#endpoints = new ServiceEndpoints(parts.lookup, parts.clock.loop);
  }

  /** The address of a webhook. Throws, or rejects, with the reason where there is none. */
  of(config: ClientConfig): HookAddress | Promise<HookAddress> {
    const { url, service, caBundle } = config;
    const ca = caBundle ? { ca: this.#bundleOf(config, caBundle) } : {};
    if (url !== undefined) return { url, ...ca };
    if (!service) throw new Error("webhook configuration must have either service or URL");
    return this.#ofService(service).then((authority) => ({
      url: `https://${authority}${pathOf(service)}`,
      serverName: hostOf(service),
      ...ca,
    }));
  }

  #bundleOf(config: ClientConfig, base64: string): string {
    let ca = this.#bundles.get(config);
    if (ca === undefined) this.#bundles.set(config, (ca = Buffer.from(base64, "base64").toString("latin1")));
    return ca;
  }

  async #ofService({ namespace, name, port = HTTPS_PORT }: ServiceReference): Promise<string> {
    const { services, lookup } = this.#parts;
    const mapped = services?.get(`${namespace}/${name}:${port}`) ?? services?.get(`${namespace}/${name}`);
    if (mapped !== undefined) return mapped;
    const service = lookup.get("services", namespace, name);
    if (!isService(service)) throw new Error(`service ${goQuoted(name)} not found`);
    const { type, externalName, clusterIP, ports = [] } = service.spec;
    if (type === "ExternalName") return `${externalName}:${port}`;
    const own = ports.find((one) => one.port === port);
    if (!own) throw new Error(`no service port ${port} found for service ${goQuoted(name)}`);
    const endpoints = (await this.#endpoints.of(namespace, name)) ?? endpointsOf(lookup, namespace, name);
    if (endpoints) return this.#one(endpoints, own.name ?? "", name);
    if (!clusterIP || clusterIP === "None") throw noEndpoints(name);
    return authorityOf(clusterIP, port);
  }

  /** Any endpoint of a port. */
  #one(all: readonly PortEndpoints[], port: string, service: string): string {
    const found = all
      .filter((one) => one.port === port)
      .flatMap(({ number, addresses }) => addresses.map((address) => authorityOf(address, number)));
    const chosen = found[Math.floor(this.#parts.random.next() * found.length)];
    if (chosen === undefined) throw noEndpoints(service);
    return chosen;
  }
}

/** The address of a webhook in the messages of kube-apiserver. */
export function shownUrl({ url, service }: ClientConfig, query: string): string {
  if (url !== undefined) return `${url}${query}`;
  if (!service) return query;
  const { port = HTTPS_PORT } = service;
  return `https://${hostOf(service)}:${port}${pathOf(service)}${query}`;
}

const hostOf = ({ namespace, name }: ServiceReference): string => `${name}.${namespace}.svc`;

const pathOf = ({ path = "" }: ServiceReference): string => (path.startsWith("/") ? path : `/${path}`);

const authorityOf = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

const noEndpoints = (service: string): Error => new Error(`no endpoints available for service ${goQuoted(service)}`);

/** The endpoints of the Endpoints object with the Service's name; undefined where there is none. */
function endpointsOf(lookup: Lookup, namespace: string, name: string): readonly PortEndpoints[] | undefined {
  const object = lookup.get("endpoints", namespace, name);
  if (!isEndpoints(object)) return undefined;
  return (object.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports.map(({ name: port = "", port: number }) => ({ port, number, addresses: addresses.map(({ ip }) => ip) })),
  );
}
