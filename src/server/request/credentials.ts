import type { Credentials } from "../../auth/contract.ts";
import type { ServerRequest } from "./request.ts";

/** The part of a request that authenticators read. */
export const credentialsOf = ({ incoming: { sent }, info }: ServerRequest): Credentials => ({
  header: (name: string) => sent.header(name),
  lines: (name: string) => sent.lines(name),
  names: () => sent.headerNames(),
  path: info.path,
  connection: sent.connection,
});
