/** Addresses of Pods: each gets the lowest free one of the range of its node. */
import type { Node, Pod } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";

/** The addresses that are taken; those of Pods that have ended are free again. */
export class PodAddresses {
  readonly #taken = new Map<string, Map<string, string>>();

  /** Remembers the address of a Pod that is there. */
  note(pod: Pod): void {
    const { podIP } = pod.status;
    const { nodeName } = pod.spec;
    if (!nodeName || !podIP || pod.spec.hostNetwork) return;
    const taken = this.#of(nodeName);
    if (!isFinished(pod)) taken.set(podIP, pod.metadata.uid);
    else if (taken.get(podIP) === pod.metadata.uid) taken.delete(podIP);
  }

  /** Frees what a Pod had that is gone. */
  free(pod: Pod): void {
    const { nodeName = "" } = pod.spec;
    const taken = this.#taken.get(nodeName);
    if (!taken) return;
    const { podIP } = pod.status;
    if (podIP !== undefined && taken.get(podIP) === pod.metadata.uid) taken.delete(podIP);
    else for (const [address, uid] of taken) if (uid === pod.metadata.uid) taken.delete(address);
  }

  /** The address of a Pod: the one that it has, or the lowest free one. Empty where its node has none. */
  of(pod: Pod, node: Node, hostIP: string): string {
    if (pod.spec.hostNetwork) return hostIP;
    if (pod.status.podIP) return pod.status.podIP;
    const range = parse(node.spec.podCIDR);
    if (!range) return "";
    const taken = this.#of(node.metadata.name);
    for (const [address, uid] of taken) if (uid === pod.metadata.uid) return address;
    // The first ones are those of the network and of the node.
    for (let at = 2; at < range.size - 1; at++) {
      const address = textOf(range.base + at);
      if (taken.has(address)) continue;
      taken.set(address, pod.metadata.uid);
      return address;
    }
    return "";
  }

  #of(node: string): Map<string, string> {
    let taken = this.#taken.get(node);
    if (!taken) this.#taken.set(node, (taken = new Map()));
    return taken;
  }
}

function parse(cidr: string | undefined): { readonly base: number; readonly size: number } | undefined {
  const [address = "", bits = ""] = cidr?.split("/") ?? [];
  const parts = address.split(".").map(Number);
  const length = Number(bits);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255)) || !(length >= 8 && length <= 30)) {
    return undefined;
  }
  return { base: ((parts[0]! * 256 + parts[1]!) * 256 + parts[2]!) * 256 + parts[3]!, size: 2 ** (32 - length) };
}

const textOf = (address: number): string =>
  `${Math.floor(address / 2 ** 24)}.${Math.floor(address / 2 ** 16) & 255}.${Math.floor(address / 256) & 255}.${address % 256}`;
