/** The part of undici that is loaded: the package as a whole takes three times the time and memory. */
declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}
