// An ordinary manager of controller-runtime: nothing in it knows how it is run. For each ConfigMap with the label password=wanted it
// keeps a Secret, and writes the Secret's name into an annotation. It renews the annotation of the last check every ten minutes.
//
// Unless it is --mended, it has a fault: the Secret's name is generated, so that a crash before the annotation is written leaves a Secret
// that nobody knows.
package main

import (
	"context"
	"flag"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	secretName = "example.com/secret"
	checked    = "example.com/checked"
	period     = 10 * time.Minute
)

func main() {
	mended := flag.Bool("mended", false, "give the Secret the name of the ConfigMap")
	elect := flag.Bool("leader-elect", false, "elect a leader")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme.Scheme,
		HealthProbeBindAddress: ":8081",
		LeaderElection:         *elect,
		LeaderElectionID:       "passwords",
	})
	exitOn(err)
	exitOn(manager.AddHealthzCheck("healthz", healthz.Ping))
	wanted := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetLabels()["password"] == "wanted" })
	exitOn(ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}, builder.WithPredicates(wanted)).
		Owns(&corev1.Secret{}).
		Complete(&passwords{manager.GetClient(), *mended}))
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

func exitOn(err error) {
	if err != nil {
		ctrl.Log.Error(err, "the manager ends")
		os.Exit(1)
	}
}

type passwords struct {
	client.Client
	mended bool
}

func (p *passwords) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var config corev1.ConfigMap
	if err := p.Get(ctx, request.NamespacedName, &config); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if config.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	if config.Annotations[secretName] == "" {
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: config.Namespace, GenerateName: config.Name + "-"},
			StringData: map[string]string{"password": "secret"},
		}
		if p.mended {
			secret.GenerateName, secret.Name = "", config.Name
		}
		if err := ctrl.SetControllerReference(&config, secret, scheme.Scheme); err != nil {
			return ctrl.Result{}, err
		}
		if err := p.Create(ctx, secret); err != nil && !(p.mended && errors.IsAlreadyExists(err)) {
			return ctrl.Result{}, err
		}
		return ctrl.Result{RequeueAfter: period}, p.annotate(ctx, &config, secretName, secret.Name)
	}
	now := time.Now()
	if last, err := time.Parse(time.RFC3339, config.Annotations[checked]); err == nil && now.Sub(last) < period {
		return ctrl.Result{RequeueAfter: period - now.Sub(last)}, nil
	}
	return ctrl.Result{RequeueAfter: period}, p.annotate(ctx, &config, checked, now.UTC().Format(time.RFC3339))
}

func (p *passwords) annotate(ctx context.Context, config *corev1.ConfigMap, key, value string) error {
	changed := config.DeepCopy()
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, key, value)
	return p.Patch(ctx, changed, client.MergeFromWithOptions(config, client.MergeFromWithOptimisticLock{}))
}
