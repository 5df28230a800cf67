package main

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Web is the kind of bench/reconcile-objects.ts, as controller-gen would write it.
type Web struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WebSpec   `json:"spec"`
	Status            WebStatus `json:"status,omitempty"`
}

type WebSpec struct {
	At      string            `json:"at"`
	Options map[string]string `json:"options"`
}

type WebStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

type WebList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Web `json:"items"`
}

func (w *Web) DeepCopyObject() runtime.Object {
	copied := &Web{TypeMeta: w.TypeMeta, Spec: WebSpec{At: w.Spec.At, Options: maps.Clone(w.Spec.Options)}, Status: w.Status}
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return copied
}

func (l *WebList) DeepCopyObject() runtime.Object {
	copied := &WebList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopyObject().(*Web))
	}
	return copied
}

func addToScheme(scheme *runtime.Scheme) {
	version := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme.AddKnownTypes(version, &Web{}, &WebList{})
	metav1.AddToGroupVersion(scheme, version)
}
