package main

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var groupVersion = schema.GroupVersion{Group: "example.dev", Version: "v1"}

// Greeting makes the operator greet a person, with a ConfigMap of its name.
type Greeting struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              GreetingSpec   `json:"spec"`
	Status            GreetingStatus `json:"status,omitempty"`
}

// GreetingSpec is the desired state.
type GreetingSpec struct {
	To    string `json:"to"`
	Words string `json:"words,omitempty"`
}

// GreetingStatus is the observed state.
type GreetingStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// GreetingList is a list of Greetings.
type GreetingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Greeting `json:"items"`
}

// DeepCopyObject returns a deep copy.
func (g *Greeting) DeepCopyObject() runtime.Object {
	copied := *g
	g.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Status.Conditions = nil
	for i := range g.Status.Conditions {
		copied.Status.Conditions = append(copied.Status.Conditions, *g.Status.Conditions[i].DeepCopy())
	}
	return &copied
}

// DeepCopyObject returns a deep copy.
func (l *GreetingList) DeepCopyObject() runtime.Object {
	copied := *l
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	copied.Items = nil
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopyObject().(*Greeting))
	}
	return &copied
}

// newScheme registers the built-in kinds, definitions, and the kind of the operator.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	own := runtime.NewSchemeBuilder(func(scheme *runtime.Scheme) error {
		scheme.AddKnownTypes(groupVersion, &Greeting{}, &GreetingList{})
		metav1.AddToGroupVersion(scheme, groupVersion)
		return nil
	})
	all := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, own.AddToScheme)
	return scheme, all.AddToScheme(scheme)
}
