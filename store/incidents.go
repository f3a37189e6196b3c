package store

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"leadline/alert"
)

// Incidents returns all incidents, oldest first.
func (s *Store) Incidents() (incidents []alert.Incident, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		return each(tx.Bucket(incidentBucket), func(_ []byte, i alert.Incident) error {
			incidents = append(incidents, i)
			return nil
		})
	})
	sortIncidents(incidents)
	return incidents, err
}

// SaveIncidents stores incidents that changed outside a run, with their messages.
func (s *Store) SaveIncidents(incidents []alert.Incident, deliveries []alert.Delivery) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		if err := saveIncidents(tx, incidents); err != nil {
			return err
		}
		return enqueue(tx, deliveries)
	})
}

func saveIncidents(tx *bbolt.Tx, incidents []alert.Incident) error {
	for _, i := range incidents {
		if err := save(tx.Bucket(incidentBucket), []byte(i.ID), i); err != nil {
			return err
		}
	}
	return nil
}

// outboxKey sorts by receiver.
func outboxKey(receiver, group string) []byte {
	return append(append([]byte(receiver), 0), group...)
}

// enqueue puts deliveries into the outbox. A newer state of a group replaces the one that
// waits for the same receiver.
func enqueue(tx *bbolt.Tx, deliveries []alert.Delivery) error {
	for _, d := range deliveries {
		if err := save(tx.Bucket(outboxBucket), outboxKey(d.Receiver, d.Group), d); err != nil {
			return err
		}
	}
	return nil
}

// Due returns the deliveries of a receiver that wait, oldest first.
func (s *Store) Due(receiver string) (out []alert.Delivery, err error) {
	prefix := append([]byte(receiver), 0)
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(outboxBucket).Cursor()
		for k, data := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, data = c.Next() {
			var d alert.Delivery
			if err := decode(data, &d); err != nil {
				return err
			}
			out = append(out, d)
		}
		return nil
	})
	sortDeliveries(out)
	return out, err
}

// Settle stores what became of a try. A delivery that is due again goes back only while
// no newer state of its group has taken its place.
func (s *Store) Settle(d alert.Delivery) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		outbox, key := tx.Bucket(outboxBucket), outboxKey(d.Receiver, d.Group)
		var waiting alert.Delivery
		ok, err := load(outbox, key, &waiting)
		if err != nil {
			return err
		}
		current := ok && waiting.ID == d.ID
		if d.Delivered.IsZero() && !d.Dead {
			if !current {
				return nil
			}
			return save(outbox, key, d)
		}
		if current {
			if err := outbox.Delete(key); err != nil {
				return err
			}
		}
		return s.keepSent(tx, d)
	})
}

// maxSent is how many settled deliveries are remembered.
const maxSent = 1000

func (s *Store) keepSent(tx *bbolt.Tx, d alert.Delivery) error {
	d.Message.Samples = slices.Clone(d.Message.Samples)
	for n := range d.Message.Samples {
		d.Message.Samples[n].Excerpt = "" // text retention does not reach here
	}
	sent := tx.Bucket(sentBucket)
	if err := push(sent, d); err != nil {
		return err
	}
	if n := sent.Sequence(); n > maxSent {
		return sent.Delete(number(n - maxSent))
	}
	return nil
}

// Sent returns the settled deliveries, oldest first.
func (s *Store) Sent() (out []alert.Delivery, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		out, err = all[alert.Delivery](tx.Bucket(sentBucket))
		return err
	})
	return out, err
}

// reportKey remembers the newest week whose report was made.
var reportKey = []byte("last_report")

// LastReport returns the ID of the newest week whose report was made; "" for none.
func (s *Store) LastReport() (week string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		_, err := load(tx.Bucket(metaBucket), reportKey, &week)
		return err
	})
	return week, err
}

// SaveReport remembers that a week's report was made, with its messages.
func (s *Store) SaveReport(week string, deliveries []alert.Delivery) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		return errors.Join(save(tx.Bucket(metaBucket), reportKey, week), enqueue(tx, deliveries))
	})
}

func sortIncidents(in []alert.Incident) {
	sortBy(in, func(i alert.Incident) (time.Time, string) { return i.Opened, i.ID })
}

func sortDeliveries(ds []alert.Delivery) {
	sortBy(ds, func(d alert.Delivery) (time.Time, string) { return d.Created, d.ID })
}
