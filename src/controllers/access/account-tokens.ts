/**
 * Fills the token Secrets of service accounts, and deletes them with their account (CTL-SA-3..6).
 *
 * With a signer the token does not expire (AUTHN-33). Without one it comes from the TokenRequest API: bound to its
 * Secret, with the longest lifetime that the server allows. When a Secret is deleted, its account drops the reference.
 */
import { type Client, type Key, attempt, keyOf, keyText, parseKey, retryOnConflict } from "../../client/index.ts";
import { Secret, ServiceAccount } from "../../client/kinds/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type Controller, type Result, defineKeyController, sharedInformer } from "../../runtime/index.ts";
import { deleteObject } from "../../runtime/writes.ts";

/** The longest lifetime of a TokenRequest, in seconds (136 years). */
const MAX_EXPIRATION_SECONDS = 2 ** 32;

/** After a conflict, when memory shows the newer version. */
const LATER: Result = { requeueAfter: "1s" };

type NamespacedKey = Key<"Namespaced">;

/** Signs the token of a Secret of an account; it is valid as long as the Secret exists. */
export type SecretTokens = (
  namespace: string,
  account: { readonly name: string; readonly uid: string },
  secret: string,
) => Promise<string>;

/** The controller named `serviceaccount-token`; keys are `fill NAMESPACE/SECRET` and `forget NAMESPACE/SECRET ACCOUNT`. */
export function accountTokens({ labelDomain }: Dialect, caCertificate: string, sign?: SecretTokens): Controller {
  const annotations = { name: `${labelDomain}/service-account.name`, uid: `${labelDomain}/service-account.uid` };
  const annotationOf = ({ metadata }: Secret, mark: keyof typeof annotations): string =>
    metadata.annotations?.[annotations[mark]] ?? "";
  const accountOf = (secret: Secret): NamespacedKey => ({
    namespace: secret.metadata.namespace ?? "",
    name: annotationOf(secret, "name"),
  });
  const secrets = sharedInformer(Secret, {
    fieldSelector: `type=${labelDomain}/service-account-token`,
    indexes: { account: (secret: Secret) => keyText(accountOf(secret)) },
  });
  const accounts = sharedInformer(ServiceAccount);
  return defineKeyController({
    name: "keelson-serviceaccount-token",
    uses: [secrets, accounts],
    begin({ own }, add) {
      const fill = (secret: Secret): void => add(`fill ${keyText(keyOf(secret))}`);
      const subscriptions = new DisposableStack();
      subscriptions.use(
        own(secrets).on(({ type, object }) => {
          if (type === "deleted") add(`forget ${keyText(keyOf(object))} ${annotationOf(object, "name")}`);
          else fill(object);
        }),
      );
      subscriptions.use(
        own(accounts).on(({ type, object }) => {
          if (type !== "changed") for (const secret of own(secrets).by("account", keyText(keyOf(object)))) fill(secret);
        }),
      );
      return subscriptions;
    },
    async reconcile({ key, client, informer }) {
      // The account in the annotation may be an invalid name.
      const [what, text = "", ...rest] = key.split(" ");
      const account = rest.join(" ");
      const secretKey = parseKey(text);
      const secret = informer(secrets).get(secretKey);
      if (what === "forget" && !secret)
        await forget(client, { namespace: secretKey.namespace, name: account }, secretKey.name);
      if (what === "fill" && secret && secret.metadata.deletionTimestamp === undefined) {
        return await fillSecret(client, secret, informer(accounts).get(accountOf(secret)));
      }
      return undefined;
    },
  });

  /** @param cached the account in memory, which may be stale */
  async function fillSecret(client: Client, secret: Secret, cached: ServiceAccount | undefined): Promise<Result> {
    const { uid, resourceVersion } = secret.metadata;
    const marked = annotationOf(secret, "uid");
    const fits = (one: ServiceAccount | undefined): boolean => !!one && ["", one.metadata.uid].includes(marked);
    const account = fits(cached) ? cached : await client.resource(ServiceAccount).find(accountOf(secret));
    if (!account || !fits(account)) {
      const why = await deleteObject(client, Secret, secret, { resourceVersion });
      return why === "Conflict" ? LATER : undefined;
    }
    if (account.metadata.deletionTimestamp !== undefined) return undefined;
    const data = await missingData(client, secret, account);
    const isMarked = marked === account.metadata.uid;
    if (isMarked && Object.keys(data).length === 0) return undefined;
    const metadata = { uid, resourceVersion, annotations: { [annotations.uid]: account.metadata.uid } };
    const written = await attempt(
      client.resource(Secret).patch(keyOf<"Namespaced">(secret), { metadata, data }),
      "NotFound",
      "Conflict",
    );
    return written.ok || written.reason === "NotFound" ? undefined : LATER;
  }

  /** Returns the data that a Secret lacks or has with other values. */
  async function missingData(client: Client, secret: Secret, account: ServiceAccount): Promise<Record<string, string>> {
    const { data = {}, metadata } = secret;
    const desired: Record<string, string> = { namespace: base64(metadata.namespace ?? "") };
    if (caCertificate !== "") desired["ca.crt"] = base64(caCertificate);
    const missing = Object.entries(desired).filter(([name, value]) => data[name] !== value);
    const token = data["token"] ? {} : { token: base64(await tokenFor(client, secret, account)) };
    return { ...Object.fromEntries(missing), ...token };
  }

  async function tokenFor(client: Client, secret: Secret, account: ServiceAccount): Promise<string> {
    const { namespace, name } = accountOf(secret);
    if (sign) return sign(namespace, { name, uid: account.metadata.uid ?? "" }, secret.metadata.name ?? "");
    const { name: secretName, uid } = secret.metadata;
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: secretName, uid };
    const spec = { audiences: [], expirationSeconds: MAX_EXPIRATION_SECONDS, boundObjectRef };
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${encodeURIComponent(name)}/token`;
    const { status } = await client.json<{ status: { token: string } }>("POST", path, { body });
    return status.token;
  }
}

async function forget(client: Client, account: NamespacedKey, secret: string): Promise<void> {
  const accounts = client.resource(ServiceAccount);
  await retryOnConflict(async () => {
    const found = await accounts.find(account);
    const left = found?.secrets?.filter(({ name }) => name !== secret);
    if (found && left && left.length !== found.secrets?.length) {
      await attempt(accounts.update({ ...found, secrets: left }), "NotFound");
    }
  });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
