// The newest kubectl, built from its module for the tests of the matrix.
package main

import (
	"os"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func main() {
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	command := cmd.NewDefaultKubectlCommandWithArgs(cmd.KubectlOptions{IOStreams: streams, Arguments: os.Args})
	if err := cli.RunNoErrOutput(command); err != nil {
		util.CheckErr(err)
	}
}
