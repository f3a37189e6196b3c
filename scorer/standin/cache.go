package standin

import "sync"

// generationBytes bounds one generation of a cache; a cache holds at most two.
const generationBytes = 8 << 20

// cache remembers what was worked out for a text. When the young generation is full it
// becomes the old one, so that texts in use stay and memory is bounded without a list.
// The zero value is ready; it is safe for concurrent use.
type cache[V any] struct {
	mu         sync.Mutex
	young, old map[string]V
	bytes      int
}

// get returns the value of key, building it if it is not there. build also returns about
// how many bytes the value holds.
func (c *cache[V]) get(key string, build func(string) (V, int)) V {
	if v, ok := c.find(key); ok {
		return v
	}
	v, size := build(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, v, size+len(key))
	return v
}

func (c *cache[V]) find(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.young[key]; ok {
		return v, true
	}
	v, ok := c.old[key]
	if ok {
		// Its size is not known any more; that of its key keeps the bound near enough.
		c.put(key, v, 8*len(key))
	}
	return v, ok
}

// put needs mu.
func (c *cache[V]) put(key string, v V, size int) {
	if c.young == nil || c.bytes+size > generationBytes {
		c.old, c.young, c.bytes = c.young, map[string]V{}, 0
	}
	c.young[key] = v
	c.bytes += size
}
