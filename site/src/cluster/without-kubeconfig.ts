/** What stands for kubeconfigs in a page: the commands of a page connect in process. */
const none = (): never => {
  throw new Error("expected no kubeconfig in a page");
};

export const chooseContext = none;
export const openContext = none;
