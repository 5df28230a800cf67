package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// BackupSpec says when and where backups are made.
type BackupSpec struct {
	// +kubebuilder:default="0 3 * * *"
	// +optional
	Schedule string `json:"schedule,omitempty"`
	// +kubebuilder:validation:MinLength=1
	To string `json:"to"`
	// +kubebuilder:default=true
	// +optional
	BeforeDeletion *bool `json:"beforeDeletion,omitempty"`
}

// SampleDBSpec defines the desired state of SampleDB.
type SampleDBSpec struct {
	// +kubebuilder:default="16"
	// +optional
	Version string `json:"version,omitempty"`
	// +kubebuilder:default="1Gi"
	// +optional
	Storage resource.Quantity `json:"storage,omitempty"`
	Backup  BackupSpec        `json:"backup"`
}

// SampleDBStatus defines the observed state of SampleDB.
type SampleDBStatus struct {
	// +optional
	Version string `json:"version,omitempty"`
	// +optional
	LastBackup *metav1.Time `json:"lastBackup,omitempty"`
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// SampleDB is the Schema for the sampledbs API.
type SampleDB struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SampleDBSpec   `json:"spec,omitempty"`
	Status SampleDBStatus `json:"status,omitempty"`
}

// +kubebuilder:object:root=true

// SampleDBList contains a list of SampleDB.
type SampleDBList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SampleDB `json:"items"`
}

func init() {
	SchemeBuilder.Register(func(s *runtime.Scheme) error {
		s.AddKnownTypes(SchemeGroupVersion, &SampleDB{}, &SampleDBList{})
		return nil
	})
}
