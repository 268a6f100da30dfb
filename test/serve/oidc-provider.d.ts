declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** What the test uses of the provider, which has no types of its own. */
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }
}
