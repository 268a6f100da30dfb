// Command manager gives each ConfigMap with the label "wants: ticket" a Secret of its own, and writes its name into the ConfigMap.
// With --generate the Secret gets a generated name: a manager that is killed between the two writes makes a second one, and nobody
// will ever remove the first. Without it the name is that of the ConfigMap.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	finalizer  = "example.com/ticket"
	annotation = "example.com/ticket"
)

func main() {
	generate := flag.Bool("generate", false, "generate the names of tickets")
	elect := flag.Bool("leader-elect", false, "elect a leader")
	metrics := flag.String("metrics-bind-address", "0", "the address of metrics")
	flag.Parse()
	ctrl.SetLogger(klog.NewKlogr())
	if err := run(ctrl.SetupSignalHandler(), *generate, *elect, *metrics); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, generate, elect bool, metrics string) error {
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                  scheme.Scheme,
		Metrics:                 metricsserver.Options{BindAddress: metrics},
		LeaderElection:          elect,
		LeaderElectionID:        "tickets",
		LeaderElectionNamespace: "default",
	})
	if err != nil {
		return err
	}
	wants := func(object client.Object) bool { return object.GetLabels()["wants"] == "ticket" }
	err = ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}, builder.WithPredicates(predicate.NewPredicateFuncs(wants))).
		Complete(&tickets{manager.GetClient(), generate})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}

type tickets struct {
	client.Client
	generate bool
}

// Reconcile makes the ticket of one ConfigMap, or removes it.
func (t *tickets) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var wanted corev1.ConfigMap
	if err := t.Get(ctx, request.NamespacedName, &wanted); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	name := wanted.Annotations[annotation]
	if !wanted.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, t.remove(ctx, &wanted, name)
	}
	if name != "" {
		return ctrl.Result{}, nil
	}
	from := client.MergeFrom(wanted.DeepCopy())
	ticket := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: wanted.Namespace, Name: wanted.Name}}
	if t.generate {
		ticket.ObjectMeta = metav1.ObjectMeta{Namespace: wanted.Namespace, GenerateName: wanted.Name + "-"}
	}
	if err := t.Create(ctx, ticket); err != nil && !errors.IsAlreadyExists(err) {
		return ctrl.Result{}, err
	}
	if wanted.Annotations == nil {
		wanted.Annotations = map[string]string{}
	}
	wanted.Annotations[annotation] = ticket.Name
	wanted.Finalizers = append(wanted.Finalizers, finalizer)
	return ctrl.Result{}, t.Patch(ctx, &wanted, from)
}

func (t *tickets) remove(ctx context.Context, wanted *corev1.ConfigMap, name string) error {
	ticket := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: wanted.Namespace, Name: name}}
	if err := t.Delete(ctx, ticket); client.IgnoreNotFound(err) != nil {
		return err
	}
	from := client.MergeFrom(wanted.DeepCopy())
	wanted.Finalizers = nil
	return t.Patch(ctx, wanted, from)
}
