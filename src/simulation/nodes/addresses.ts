/** Addresses of Pods: each gets the lowest free one of the range of its node. */
import type { Node, Pod } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";

/** The addresses that are taken; those of Pods that have ended are free again. */
export class PodAddresses {
  readonly #nodes = new Map<string, NodeAddresses>();

  /** Records the address of an existing Pod. */
  note(pod: Pod): void {
    const { podIP } = pod.status;
    const { nodeName } = pod.spec;
    if (!nodeName || !podIP || pod.spec.hostNetwork) return;
    const taken = this.#of(nodeName);
    if (!isFinished(pod)) taken.take(podIP, pod.metadata.uid);
    else taken.free(pod.metadata.uid);
  }

  /** Releases the addresses of a deleted Pod. */
  free(pod: Pod): void {
    const { nodeName = "" } = pod.spec;
    const taken = this.#nodes.get(nodeName);
    taken?.free(pod.metadata.uid);
    if (taken?.isEmpty) this.#nodes.delete(nodeName);
  }

  /** The address of a Pod: the one that it has, or the lowest free one. Empty where its node has none. */
  of(pod: Pod, node: Node, hostIP: string): string {
    if (pod.spec.hostNetwork) return hostIP;
    if (pod.status.podIP) return pod.status.podIP;
    const range = parse(node.spec.podCIDR);
    if (!range) return "";
    return this.#of(node.metadata.name).next(range, pod.metadata.uid);
  }

  #of(node: string): NodeAddresses {
    let taken = this.#nodes.get(node);
    if (!taken) this.#nodes.set(node, (taken = new NodeAddresses()));
    return taken;
  }
}

/** The first addresses of a range are those of the network and of the node. */
const FIRST = 2;

/** The addresses of one node that are taken; a Pod has one. */
class NodeAddresses {
  readonly #owners = new Map<string, string>();
  readonly #addresses = new Map<string, string>();
  /** No address of the range below this number is free. */
  #next = FIRST;
  #base: number | undefined;

  get isEmpty(): boolean {
    return this.#addresses.size === 0;
  }

  take(address: string, uid: string): void {
    const before = this.#addresses.get(uid);
    if (before === address && this.#owners.get(address) === uid) return;
    if (before !== undefined) this.free(uid);
    this.#owners.set(address, uid);
    this.#addresses.set(uid, address);
  }

  free(uid: string): void {
    const address = this.#addresses.get(uid);
    if (address === undefined) return;
    this.#addresses.delete(uid);
    if (this.#owners.get(address) !== uid) return;
    this.#owners.delete(address);
    const at = this.#base === undefined ? FIRST : numberOf(address) - this.#base;
    if (at >= FIRST) this.#next = Math.min(this.#next, at);
  }

  /** The address that a Pod has, or the lowest free one; empty where there is none. */
  next({ base, size }: Range, uid: string): string {
    const known = this.#addresses.get(uid);
    if (known !== undefined) return known;
    if (this.#base !== base) {
      this.#base = base;
      this.#next = FIRST;
    }
    for (; this.#next < size - 1; this.#next++) {
      const address = textOf(base + this.#next);
      if (this.#owners.has(address)) continue;
      this.take(address, uid);
      return address;
    }
    return "";
  }
}

interface Range {
  readonly base: number;
  readonly size: number;
}

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

function parse(cidr: string | undefined): Range | undefined {
  const [address = "", bits = ""] = cidr?.split("/") ?? [];
  const parts = address.split(".").map(Number);
  const length = Number(bits);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255)) || !(length >= 8 && length <= 30)) {
    return undefined;
  }
  return { base: numberOf(address), size: 2 ** (32 - length) };
}

const textOf = (address: number): string =>
  `${Math.floor(address / 2 ** 24)}.${Math.floor(address / 2 ** 16) & 255}.${Math.floor(address / 256) & 255}.${address % 256}`;
