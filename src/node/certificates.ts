/**
 * Certificates of Pods: the agent makes a key, asks a signer by a PodCertificateRequest, waits until one is issued, and asks again
 * when the signer said that it should (PROJ-27..29).
 *
 * Keys are in memory only: after a restart new ones are made, and what lies on disk stays until their certificates are there.
 *
 * @module
 */
import { keyText } from "../client/index.ts";
import { Node, type Pod, PodCertificateRequest, ServiceAccount } from "../client/kinds/index.ts";
import { parseTime } from "../meta/time.ts";
import { type HeldInformer, sharedInformer } from "../runtime/index.ts";
import { backoff } from "../util/backoff.ts";
import type { IssuedCertificate, ProjectedSource } from "../volumes/contract.ts";
import { type PodKey, makePodKey } from "./certificate-key.ts";
import type { NodeGround } from "./contract.ts";

type Wish = NonNullable<ProjectedSource["podCertificate"]>;

interface Issued extends IssuedCertificate {
  /** Milliseconds since the epoch. */
  readonly refreshAt: number;
  readonly endsAt: number;
}

/** A certificate that a source of a volume wants, and how far it is. */
interface Place {
  readonly podUid: string;
  issued?: Issued;
  /** What was asked for and is not answered. */
  pending?: { readonly request: string; readonly key: PodKey } | undefined;
  asked?: Promise<void> | undefined;
  /** Why a signer gave none, and when it is asked again, in ms since the epoch. */
  refused?: { readonly message: string; readonly until: number } | undefined;
  refusals: number;
}

const DAY = 86_400;
const AGAIN = { first: 60_000, most: 3_600_000 };

/** See the head of this file. */
export class CertificateKeeper implements Disposable {
  readonly #ground: NodeGround;
  readonly #places = new Map<string, Place>();
  #requests: HeldInformer<PodCertificateRequest, "Namespaced"> | undefined;

  constructor(ground: NodeGround) {
    this.#ground = ground;
  }

  /**
   * The certificate of a source of a volume, or undefined while none is issued; the Pod is looked at when one is.
   *
   * @throws where it cannot be asked for, or the signer has refused
   */
  async get(pod: Pod, wish: Wish, volume: string): Promise<IssuedCertificate | undefined> {
    const place = this.#placeOf(pod, wish, volume);
    const now = this.#ground.clock.now();
    const good = place.issued && now < place.issued.endsAt ? place.issued : undefined;
    if (good && now < good.refreshAt) return good;
    if (place.refused && now < place.refused.until) {
      if (good) return good;
      throw new Error(place.refused.message);
    }
    if (!place.pending) {
      try {
        await (place.asked ??= this.#ask(place, pod, wish).finally(() => this.#asked(place)));
      } catch (error) {
        if (!good) throw error;
        const { name, uid } = pod.metadata;
        this.#ground.log.warn("a certificate of a Pod was not renewed", { pod: name, error: String(error) }, uid);
      }
    }
    return place.issued && now < place.issued.endsAt ? place.issued : undefined;
  }

  /** Milliseconds until a source is to be looked at again: to renew its certificate, or to ask again after a refusal. */
  renewsIn(pod: Pod, wish: Wish, volume: string): number | undefined {
    const place = this.#places.get(keyOf(pod, wish, volume));
    const at = place?.refused?.until ?? place?.issued?.refreshAt;
    return at === undefined || place?.pending ? undefined : Math.max(0, at - this.#ground.clock.now());
  }

  /** Forgets the keys of a Pod that is gone (PROJ-58). */
  forget(podUid: string): void {
    for (const [key, place] of this.#places) if (place.podUid === podUid) this.#places.delete(key);
    this.#rest();
  }

  [Symbol.dispose](): void {
    this.#places.clear();
    this.#rest();
  }

  #placeOf(pod: Pod, wish: Wish, volume: string): Place {
    const key = keyOf(pod, wish, volume);
    let place = this.#places.get(key);
    if (!place) this.#places.set(key, (place = { podUid: pod.metadata.uid, refusals: 0 }));
    return place;
  }

  #asked(place: Place): void {
    place.asked = undefined;
    // The Pod may have been forgotten meanwhile.
    this.#rest();
  }

  async #ask(place: Place, pod: Pod, wish: Wish): Promise<void> {
    const key = await makePodKey(wish.keyType, pod.metadata.uid);
    const { client } = this.#ground;
    const { namespace = "", name, uid } = pod.metadata;
    const account = { namespace, name: pod.spec.serviceAccountName ?? "" };
    const [node, serviceAccount] = await Promise.all([
      client.resource(Node).get({ name: this.#ground.node }),
      client.resource(ServiceAccount).get(account),
    ]);
    this.#listen();
    const request = await client.resource(PodCertificateRequest).create({
      metadata: {
        namespace,
        generateName: "pod-",
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
      },
      spec: {
        signerName: wish.signerName,
        podName: name,
        podUID: uid,
        serviceAccountName: account.name,
        serviceAccountUID: serviceAccount.metadata.uid,
        nodeName: node.metadata.name,
        nodeUID: node.metadata.uid,
        maxExpirationSeconds: wish.maxExpirationSeconds ?? DAY,
        pkixPublicKey: key.publicKey,
        proofOfPossession: key.proof,
        ...(wish.userAnnotations ? { unverifiedUserAnnotations: wish.userAnnotations } : {}),
      },
    });
    place.refused = undefined;
    place.pending = { request: keyText({ namespace, name: request.metadata.name }), key };
    // It may have been answered before it was known whose it is.
    const seen = this.#requests?.get({ namespace, name: request.metadata.name });
    if (seen) this.#take(seen);
  }

  /** Follows the requests of the node while one is pending. */
  #listen(): void {
    if (this.#requests) return;
    const spec = sharedInformer(PodCertificateRequest, { fieldSelector: `spec.nodeName=${this.#ground.node}` });
    this.#requests = this.#ground.informer(spec);
    this.#requests.on(({ type, object }) => (type === "deleted" ? this.#lose(object) : this.#take(object)));
  }

  /** Follows them no more when nothing is pending. */
  #rest(): void {
    if ([...this.#places.values()].some(({ pending, asked }) => pending !== undefined || asked !== undefined)) return;
    this.#requests?.[Symbol.dispose]();
    this.#requests = undefined;
  }

  #pendingOf({ metadata }: PodCertificateRequest): Place | undefined {
    const request = keyText({ namespace: metadata.namespace ?? "", name: metadata.name });
    return [...this.#places.values()].find(({ pending }) => pending?.request === request);
  }

  /** Reads what became of a request. */
  #take(request: PodCertificateRequest): void {
    const place = this.#pendingOf(request);
    const outcome = (request.status.conditions ?? []).find(({ status }) => status === "True");
    if (!place?.pending || !outcome) return;
    const { key } = place.pending;
    place.pending = undefined;
    if (outcome.type === "Issued") {
      place.issued = issuedOf(key, request);
      place.refusals = 0;
    } else {
      const { clock, random } = this.#ground;
      const { reason, message } = outcome;
      place.refused = {
        message: `${request.spec.signerName} answered ${outcome.type}: ${[reason, message].filter((text) => text !== "").join(": ")}`,
        until: clock.now() + backoff(place.refusals++, AGAIN, random),
      };
    }
    this.#end(place);
  }

  /** A request went without an answer: another one is made. */
  #lose(request: PodCertificateRequest): void {
    const place = this.#pendingOf(request);
    if (!place) return;
    place.pending = undefined;
    this.#end(place);
  }

  #end({ podUid }: Place): void {
    this.#rest();
    this.#ground.lookAt(podUid);
  }
}

const keyOf = ({ metadata: { uid } }: Pod, wish: Wish, volume: string): string => JSON.stringify([uid, volume, wish]);

function issuedOf({ pem: key }: PodKey, { status }: PodCertificateRequest): Issued {
  const { certificateChain: chain = "", beginRefreshAt, notAfter } = status;
  return {
    key,
    chain,
    refreshAt: parseTime(beginRefreshAt ?? "") ?? 0,
    endsAt: parseTime(notAfter ?? "") ?? 0,
  };
}
