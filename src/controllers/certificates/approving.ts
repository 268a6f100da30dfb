/**
 * Approves client certificate requests of nodes, where the requester may create
 * `certificatesigningrequests/nodeclient`, or `/selfnodeclient` for its own node (CERT-10).
 */
import { attempt } from "../../client/index.ts";
import { CertificateSigningRequest, SubjectAccessReview } from "../../client/kinds/index.ts";
import { type Context, type Controller, defineController } from "../../runtime/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import { SIGNERS, requestIn, conditionOf, isIssued, problemWith } from "./requests.ts";

const APPROVAL_MESSAGES = {
  nodeclient: "Who asks may have client certificates of nodes.",
  selfnodeclient: "A node requests its own client certificate, and is allowed to.",
} as const;

type Right = keyof typeof APPROVAL_MESSAGES;

/** The controller named `csrapproving`. */
export const certificateApproving: Controller = defineController({
  name: "keelson-csrapproving",
  for: CertificateSigningRequest,
  async reconcile({ object, client }) {
    const { signerName, usages = [], username } = object.spec;
    if (signerName !== SIGNERS.nodeClient || isDecided(object)) return undefined;
    const requested = requestIn(object);
    if (!requested || problemWith(signerName, requested, usages) !== undefined) return undefined;
    const rights: readonly Right[] =
      username === requested.subject.commonName ? ["selfnodeclient", "nodeclient"] : ["nodeclient"];
    for (const right of rights) {
      if (await isAllowed(client, object, right)) return approve(client, object, APPROVAL_MESSAGES[right]);
    }
    return undefined;
  },
});

const isDecided = (request: CertificateSigningRequest): boolean =>
  isIssued(request) || ["Approved", "Denied"].some((type) => conditionOf(request, type) !== undefined);

type Client = Context["client"];

async function isAllowed(client: Client, { spec }: CertificateSigningRequest, right: Right): Promise<boolean> {
  const { username = "", uid, groups, extra } = spec;
  const resource = { group: "certificates.k8s.io", version: "*", resource: "certificatesigningrequests" };
  const review = {
    // A review has no name.
    metadata: {} as { readonly name: string },
    spec: {
      user: username,
      ...(uid ? { uid } : {}),
      ...(groups ? { groups } : {}),
      ...(extra ? { extra } : {}),
      resourceAttributes: { ...resource, verb: "create", subresource: right },
    },
  };
  const { status } = await client.resource(SubjectAccessReview).create(review);
  return status?.allowed ?? false;
}

async function approve(
  client: Client,
  object: CertificateSigningRequest,
  message: string,
): Promise<typeof REQUEUE_SOON | undefined> {
  const approved = { type: "Approved", status: "True", reason: "AutoApproved", message };
  const status = { ...object.status, conditions: [...(object.status?.conditions ?? []), approved] };
  const ways = client.resource(CertificateSigningRequest).subresource("approval");
  const done = await attempt(ways.update({ ...object, status }), "Conflict", "NotFound");
  return done.ok ? undefined : REQUEUE_SOON;
}
