/**
 * All samples: about the sizes, depths and rules that definitions of real operators have.
 *
 * @module
 */
import type { Sample } from "../sample.ts";
import * as certificates from "./certificates.ts";
import * as clusters from "./clusters.ts";
import * as databases from "./databases.ts";
import * as delivery from "./delivery.ts";
import * as gateways from "./gateways.ts";
import * as monitoring from "./monitoring.ts";
import * as services from "./services.ts";
import * as workflows from "./workflows.ts";

export const SAMPLES: readonly Sample[] = [
  certificates,
  clusters,
  databases,
  delivery,
  gateways,
  monitoring,
  services,
  workflows,
].flatMap((shapes) => Object.values(shapes));
