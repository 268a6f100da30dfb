/**
 * An OpenID Connect provider as it comes from npm, with a port of its own: people log in at it, programs ask it for tokens,
 * its keys are changed, and it goes and comes back.
 *
 * @module
 */
import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type Server, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { type JWK, exportJWK, generateKeyPair } from "jose";
import Provider, { type Interaction } from "oidc-provider";
import { type KeyPair } from "../../src/pki/index.ts";
import { authority, serving } from "../../src/pki/certificate.ts";

/** For whom the tokens of programs are. */
export const AUDIENCE = "https://us.example";
/** For whom the tokens of people are: the client at which they log in. */
export const CONSOLE = "console";
/** Another such client; its tokens last five seconds: long enough for one request on a busy machine. */
export const BRIEF = "brief";

const SECRET = "s";
const CALLBACK = "https://client.example/callback";

/** A user who can log in: their name, and their groups. */
export type Accounts = Readonly<Record<string, readonly string[]>>;

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** See the head of this file. */
export class RunningProvider {
  readonly ca: KeyPair = authority({ now: Date.now(), days: 1 });
  readonly #accounts: Accounts;
  #server: Server | undefined;
  #port = 0;
  #keys: JWK[] = [];
  #answer: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;

  private constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** Starts one at any free port. */
  static async start(accounts: Accounts = {}): Promise<RunningProvider> {
    const provider = new RunningProvider(accounts);
    await provider.open();
    await provider.rotate();
    return provider;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Listens, at the same port as before. */
  async open(): Promise<void> {
    const { cert, key } = serving(this.ca, ["127.0.0.1"], { now: Date.now(), days: 1 });
    this.#server = createServer({ cert, key }, (asked, response) => void this.#answer!(asked, response));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Ends; requests get no response. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server?.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  /** Signs by another key from now on, and knows the ones before no more. */
  async rotate(): Promise<void> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    this.#keys = [{ ...(await exportJWK(privateKey)), use: "sig", kid: `k-${crypto.randomUUID()}` }];
    const provider = new Provider(this.url, this.#configuration());
    const callback = provider.callback();
    this.#answer = async (asked, response) => {
      if (!asked.url!.startsWith("/interaction/")) return callback(asked, response);
      // The user in the request has typed the right password.
      const { params } = await provider.interactionDetails(asked, response);
      await provider.interactionFinished(asked, response, { login: { accountId: params.login_hint } });
    };
  }

  /** Logs a user in as a browser does; returns their ID token. */
  async login(account: string, client = CONSOLE): Promise<string> {
    const query = new URLSearchParams({
      client_id: client,
      response_type: "code",
      redirect_uri: CALLBACK,
      scope: "openid groups",
      login_hint: account,
    });
    const cookies = new Map<string, string>();
    let at = `${this.url}/auth?${query.toString()}`;
    while (!at.startsWith(CALLBACK)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const { status, headers, text } = await this.#ask(at, { headers: { cookie } });
      if (headers.location === undefined) throw new Error(`expected to be led on, got ${status} ${text}`);
      for (const set of headers["set-cookie"] ?? []) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
        cookies.set(name!, value!);
      }
      at = new URL(headers.location, at).href;
    }
    const code = new URL(at).searchParams.get("code");
    if (code === null) throw new Error(`expected a code, got ${at}`);
    const tokens = await this.#token(client, { grant_type: "authorization_code", code, redirect_uri: CALLBACK });
    return tokens.id_token!;
  }

  /** A token of a program. */
  async programToken(): Promise<string> {
    return (await this.#token("robot", { grant_type: "client_credentials", resource: AUDIENCE })).access_token!;
  }

  async #token(client: string, form: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const headers = {
      authorization: `Basic ${Buffer.from(`${client}:${SECRET}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    const body = new URLSearchParams(form).toString();
    const { status, text } = await this.#ask(`${this.url}/token`, { method: "POST", headers, body });
    if (status !== 200) throw new Error(`expected a token, got ${status} ${text}`);
    return JSON.parse(text) as Record<string, string>;
  }

  async #ask(url: string, { method = "GET", headers = {}, body = "" }: Asked): Promise<Answered> {
    const sent = request(url, { method, headers, ca: this.ca.cert, agent: false }).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    let text = "";
    for await (const part of response.setEncoding("utf8")) text += part as string;
    return { status: response.statusCode!, headers: response.headers, text };
  }

  #configuration(): object {
    const person = (id: string): object => ({
      client_id: id,
      client_secret: SECRET,
      grant_types: ["authorization_code"],
      response_types: ["code"],
      redirect_uris: [CALLBACK],
    });
    const accounts = this.#accounts;
    return {
      clients: [
        person(CONSOLE),
        person(BRIEF),
        {
          client_id: "robot",
          client_secret: SECRET,
          grant_types: ["client_credentials"],
          redirect_uris: [],
          response_types: [],
        },
      ],
      jwks: { keys: this.#keys },
      cookies: { keys: ["cookies"] },
      claims: { openid: ["sub"], groups: ["groups"] },
      conformIdTokenClaims: false,
      pkce: { required: () => false },
      ttl: {
        IdToken: (_: unknown, __: unknown, client: { clientId: string }) => (client.clientId === BRIEF ? 5 : 600),
      },
      findAccount: (_: unknown, sub: string) =>
        accounts[sub] && { accountId: sub, claims: () => ({ sub, groups: accounts[sub] }) },
      // Consent is not requested.
      loadExistingGrant: async ({ oidc }: Interaction) => {
        const { accountId } = oidc.session;
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId });
        grant.addOIDCScope("openid groups");
        await grant.save();
        return grant;
      },
      extraTokenClaims: () => ({ groups: ["builders"] }),
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({
            scope: "",
            audience: AUDIENCE,
            accessTokenFormat: "jwt",
            accessTokenTTL: 600,
          }),
        },
      },
    };
  }
}
