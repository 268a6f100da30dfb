// Command go-operator is an operator with its own kind: it installs the definition of Greetings, and creates a ConfigMap for each
// Greeting. It uses the cluster of KUBECONFIG.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"
)

// operator is the name of the program as field manager and event source.
const operator = "greeter"

//go:embed definition.yaml
var definition []byte

func main() {
	ctrl.SetLogger(klog.NewKlogr())
	if err := run(ctrl.SetupSignalHandler(), ctrl.GetConfigOrDie()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run installs the definition and reconciles until the context ends.
func run(ctx context.Context, config *rest.Config) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	if err := install(ctx, config, scheme); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	if err := setUp(ctx, manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// install applies the definition and waits until it is established.
func install(ctx context.Context, config *rest.Config, scheme *runtime.Scheme) error {
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	wanted := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(definition, &wanted.Object); err != nil {
		return err
	}
	applied := client.ApplyConfigurationFromUnstructured(wanted)
	if err := direct.Apply(ctx, applied, client.FieldOwner(operator), client.ForceOwnership); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		var found apiextensionsv1.CustomResourceDefinition
		err := direct.Get(ctx, client.ObjectKey{Name: wanted.GetName()}, &found)
		return slices.ContainsFunc(found.Status.Conditions, isEstablished), err
	})
}

func isEstablished(condition apiextensionsv1.CustomResourceDefinitionCondition) bool {
	return condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue
}
