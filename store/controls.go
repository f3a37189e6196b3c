package store

import (
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"leadline/scorer"
)

var (
	ownBucket      = []byte("own_controls")       // ID → scorer.Control
	ownAuditBucket = []byte("own_controls_audit") // sequence → ControlChange
)

// ControlChange is who added or removed a control item, when. Changes are never deleted.
type ControlChange struct {
	Added  bool      `json:"added"` // false: removed
	Item   string    `json:"item"`
	Source string    `json:"source,omitempty"` // "file" or "sample"
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Note   string    `json:"note,omitempty"`
}

// Controls returns the user's own control items, by ID.
func (s *Store) Controls() (out []scorer.Control, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return each(tx.Bucket(ownBucket), func(_ []byte, c scorer.Control) error {
			out = append(out, c)
			return nil
		})
	})
	return out, err
}

// AddControls stores own control items and who added them, in one transaction. An item that is
// there already stays as it is; added are those that were not.
func (s *Store) AddControls(items []scorer.Control, change ControlChange) (added []string, err error) {
	err = s.db.Update(func(tx *bbolt.Tx) error {
		for _, c := range items {
			if tx.Bucket(ownBucket).Get([]byte(c.ID)) != nil {
				continue
			}
			change.Added, change.Item = true, c.ID
			if err := save(tx.Bucket(ownBucket), []byte(c.ID), c); err != nil {
				return err
			}
			if err := push(tx.Bucket(ownAuditBucket), change); err != nil {
				return err
			}
			added = append(added, c.ID)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("store control items: %w", err)
	}
	return added, nil
}

// RemoveControl takes an own item out, and notes who did. What it scored stays in the history.
// It says whether there was one.
func (s *Store) RemoveControl(id string, change ControlChange) (found bool, err error) {
	err = s.db.Update(func(tx *bbolt.Tx) error {
		if found = tx.Bucket(ownBucket).Get([]byte(id)) != nil; !found {
			return nil
		}
		change.Added, change.Item = false, id
		if err := push(tx.Bucket(ownAuditBucket), change); err != nil {
			return err
		}
		return tx.Bucket(ownBucket).Delete([]byte(id))
	})
	return found, err
}

// ControlChanges returns what was done to the own items, oldest first.
func (s *Store) ControlChanges() (out []ControlChange, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		out, err = all[ControlChange](tx.Bucket(ownAuditBucket))
		return err
	})
	return out, err
}
