/**
 * `serviceaccounts/NAME/token`: a signed token for audiences and a lifetime (SUP-7).
 *
 * Nothing is stored; a dry run answers a token too, as the reference does.
 *
 * @module
 */
import type { Lookup } from "../../schema/lookup.ts";
import type { TokenSigner } from "../../auth/service-account-tokens.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { badRequest, conflict, invalid, notFound } from "../../meta/status.ts";
import { formatTime } from "../../meta/time.ts";
import { type Action, type Actions, type Question, actionKey } from "./asked.ts";

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
/** Kinds that a token can be bound to. */
const BINDABLE: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets", Node: "nodes" };

interface TokenSpec {
  audiences?: string[] | null;
  expirationSeconds?: number;
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
}

/** The action that answers a TokenRequest below a service account. */
export function tokenAction(lookup: Lookup, signer: () => TokenSigner): Actions {
  const answer: Action["answer"] = async ({ object, target, parent, ctx }) => {
    const { uid = "" } = parent().metadata;
    const spec = object["spec"] as TokenSpec;
    const bound = bindTo(lookup, target.namespace, spec);
    const audiences = spec.audiences?.length ? spec.audiences : [signer().defaultAudience];
    const { token, expires } = await signer().sign({
      namespace: target.namespace,
      serviceAccount: { name: target.name, uid },
      ...(bound ? { bound } : {}),
      audiences,
      seconds: spec.expirationSeconds ?? MAX_SECONDS,
    });
    spec.audiences = audiences;
    object["status"] = { token, expirationTimestamp: formatTime(expires) };
    Object.assign(object.metadata, {
      name: target.name,
      namespace: target.namespace,
      uid,
      creationTimestamp: formatTime(ctx.clock.now()),
    });
  };
  return new Map([[actionKey({ group: "authentication.k8s.io", kind: "TokenRequest" }), { judge, answer }]]);
}

function judge({ object, target: { name }, parent }: Question): void {
  parent();
  const errors = new FieldErrors();
  const spec = object["spec"] as TokenSpec;
  const sent = object.metadata.name;
  if (sent && sent !== name) errors.invalid("metadata.name", sent, `expected "${name}" as the path says`);
  const seconds = spec.expirationSeconds ?? 0;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) {
    errors.invalid("spec.expirationSeconds", seconds, `expected ${MIN_SECONDS} to ${MAX_SECONDS} seconds`);
  }
  if (errors.any) throw invalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, name, errors.causes);
}

/** The object that the token is bound to: it must exist and have the uid that was named. */
function bindTo(
  lookup: Lookup,
  namespace: string,
  { boundObjectRef: ref }: TokenSpec,
): { kind: string; name: string; uid: string } | undefined {
  if (!ref) return undefined;
  const plural = ref.apiVersion === "v1" ? BINDABLE[ref.kind ?? ""] : undefined;
  if (plural === undefined) {
    const kinds = Object.keys(BINDABLE).join(", ");
    throw badRequest(
      `expected boundObjectRef to be one of ${kinds} of v1, got "${ref.kind ?? ""}" of "${ref.apiVersion ?? ""}"`,
    );
  }
  const kind = ref.kind!;
  const name = ref.name ?? "";
  const about = { group: "", plural, kind };
  const found = lookup.get(plural, plural === "nodes" ? "" : namespace, name);
  if (!found) throw notFound(about, name);
  const uid = found.metadata.uid ?? "";
  if (ref.uid && ref.uid !== uid) throw conflict(about, name, `expected uid ${ref.uid}, got ${uid}`);
  return { kind: kind.toLowerCase(), name, uid };
}
