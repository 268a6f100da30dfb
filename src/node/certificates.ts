/**
 * Certificates of Pods: the agent makes a key, asks a signer by a PodCertificateRequest, waits until one is issued, and asks again
 * when the signer said that it should (PROJ-27..29). What fails is asked for again after a pause.
 *
 * Keys are in memory only: after a restart new ones are made, and what lies on disk stays until their certificates are there.
 *
 * @module
 */
import { keyText } from "../client/index.ts";
import { Node, type Pod, PodCertificateRequest, ServiceAccount } from "../client/kinds/index.ts";
import { parseTime } from "../meta/time.ts";
import { type HeldInformer, sharedInformer } from "../runtime/index.ts";
import { type BackoffOptions, backoff } from "../util/backoff.ts";
import type { Clock } from "../util/clock.ts";
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
  /** What was asked for and is not answered, and until when of the steady counter it may be unknown. */
  pending?: { readonly request: string; readonly key: PodKey; readonly lostAt: number } | undefined;
  asked?: Promise<void> | undefined;
  /** Why a signer gave none. */
  refused?: string | undefined;
  /** In a row, of whatever sort. */
  failures: number;
  /** Of the steady counter: until then none is asked for where one is good, or where the signer has refused. */
  notBefore: number;
}

const DAY = 86_400;
/** The pauses after a signer has refused. */
const AGAIN = { first: 60_000, most: 3_600_000 };
/** The pauses after it could not be asked, or the request was removed: they end long before a certificate does. */
const RETRY = { first: 1000, most: 60_000 };
/** No certificate is renewed sooner, also where the signer's clock shows another time. */
const LEAST_MS = 60_000;
/** A request that nobody has seen for so long was removed before it was seen. */
const UNSEEN_MS = 600_000;

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
    const { clock, log } = this.#ground;
    const good = goodOf(place, clock);
    if (good && clock.now() < good.refreshAt) return good;
    if (clock.steady() < place.notBefore) {
      if (good) return good;
      if (place.refused !== undefined) throw new Error(place.refused);
    }
    if (this.#isUnseen(place)) this.#drop(place);
    if (!place.pending) {
      try {
        await (place.asked ??= this.#ask(place, pod, wish).finally(() => this.#asked(place)));
      } catch (error) {
        this.#pause(place, RETRY);
        if (!good) throw error;
        const { name, uid } = pod.metadata;
        log.warn("a certificate of a Pod was not renewed", { pod: name, error: String(error) }, uid);
      }
    }
    return goodOf(place, clock);
  }

  /** Milliseconds until a source is to be looked at again: to renew its certificate, or to ask again after a failure. */
  renewsIn(pod: Pod, wish: Wish, volume: string): number | undefined {
    const place = this.#places.get(keyOf(pod, wish, volume));
    if (!place?.issued) return undefined;
    const { clock } = this.#ground;
    const paused = place.notBefore - clock.steady();
    if (place.pending) return Math.max(paused, place.pending.lostAt - clock.steady());
    return Math.max(0, place.issued.refreshAt - clock.now(), paused);
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
    if (!place) this.#places.set(key, (place = { podUid: pod.metadata.uid, failures: 0, notBefore: 0 }));
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
    const lostAt = this.#ground.clock.steady() + UNSEEN_MS;
    place.pending = { request: keyText({ namespace, name: request.metadata.name }), key, lostAt };
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
    const request = nameOf(metadata);
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
      Object.assign(place, { failures: 0, notBefore: this.#ground.clock.steady() + LEAST_MS });
    } else {
      const { reason, message } = outcome;
      const why = [reason, message].filter((text) => text !== "").join(": ");
      place.refused = `${request.spec.signerName} answered ${outcome.type}: ${why}`;
      this.#pause(place, AGAIN);
    }
    this.#end(place);
  }

  /** A request went without an answer: another one is made, by and by where that happens again and again. */
  #lose(request: PodCertificateRequest): void {
    const place = this.#pendingOf(request);
    if (!place) return;
    this.#drop(place);
    this.#end(place);
  }

  #drop(place: Place): void {
    place.pending = undefined;
    this.#pause(place, RETRY);
  }

  /** Whether a request was removed before it was seen: no event tells of that. */
  #isUnseen({ pending }: Place): boolean {
    if (!pending || this.#ground.clock.steady() < pending.lostAt) return false;
    return this.#requests?.list().every(({ metadata }) => nameOf(metadata) !== pending.request) ?? true;
  }

  #pause(place: Place, how: BackoffOptions): void {
    const { clock, random } = this.#ground;
    place.notBefore = clock.steady() + backoff(place.failures++, how, random);
  }

  #end({ podUid }: Place): void {
    this.#rest();
    this.#ground.lookAt(podUid);
  }
}

const nameOf = ({ namespace = "", name }: PodCertificateRequest["metadata"]): string => keyText({ namespace, name });

const goodOf = ({ issued }: Place, clock: Pick<Clock, "now">): Issued | undefined =>
  issued && clock.now() < issued.endsAt ? issued : undefined;

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
