"""The memory of a Box2D world: a snapshot copies it, and a step from elsewhere writes it back.

Box2D gives no access to its contacts, to the impulses from which its solver starts, or to its tree of boxes, so bodies
that are only put back move otherwise than before. All this lies in blocks of the world's own allocator, and stays at
its address as long as no body is made or destroyed.
"""

import ctypes
import struct
from typing import Any

import numpy as np

# Bytes of b2World in Box2D 2.3 where a pointer has 64 bits; the stack of 100 KB among them is empty between two steps.
CHUNKS, CHUNK_COUNT, FREE = 0, 8, slice(16, 128)
TREE, NODES, NODE_COUNT, NODE_CAPACITY, PROXY_COUNT = slice(103072, 103112), 103080, 103088, 103092, 103112
CONTACTS, CONTACT_COUNT, ALLOCATOR = slice(103160, 103172), 103168, 103192
BODIES, JOINTS, BODY_COUNT, JOINT_COUNT, GRAVITY, SIZE = 103200, 103208, 103216, 103220, 103224, 103232
CHUNK_SIZE, CHUNK_ENTRY, NODE_SIZE = 16384, 16, 40

Saved = tuple[bytes, ...]


class LayoutError(Exception):
    """This build of Box2D lays its worlds out in another way."""


class WorldMemory:
    """The memory of a world whose bodies move, and in which none is made or destroyed.

    Args:
        world: between two steps, with bodies and joints, and without a contact so far.

    Raises:
        LayoutError: see there.
    """

    def __init__(self, world: Any) -> None:
        self.world = world  # the views must not outlive it
        self.fields = _view(int(world.this), SIZE)
        self._check_layout()
        self.parts = (
            self.fields[TREE],
            self.fields[CONTACTS],
            _view(self._read("Q", NODES), NODE_SIZE * self._read("i", NODE_CAPACITY)),
            self._blocks(world.bodies),
            self._blocks(world.joints),
        )
        self.free, self.chunk_count = self.fields[FREE], self._read("i", CHUNK_COUNT)
        self.contacts: Contacts | None = None

    def save(self) -> Saved:
        """Copy all that steps change."""
        contacts = free = b""
        if self._read("i", CONTACT_COUNT):
            self.contacts = self.contacts or self._find_contacts()
            contacts, free = self.contacts.save(), bytes(self.free)
        return (contacts, free, *[bytes(part) for part in self.parts])

    def restore(self, saved: Saved) -> None:
        """Bring the world back into the state in which `save` returned this."""
        contacts, free, *parts = saved
        for part, content in zip(self.parts, parts, strict=True):
            part[:] = content
        if self.contacts is not None:
            self.contacts.restore(contacts)
            self.free[:] = free or self.contacts.free

    def _find_contacts(self) -> "Contacts":
        new = self._chunks()[self.chunk_count :]
        if len(new) != 1:
            raise LayoutError("the contacts of a world do not lie in a chunk of their own")
        return Contacts(*new[0], self.free)

    def _check_layout(self) -> None:
        world = self.world
        bodies, joints = world.bodies, world.joints
        proxies = sum(len(body.fixtures) for body in bodies)
        counts = {BODY_COUNT: len(bodies), JOINT_COUNT: len(joints), CONTACT_COUNT: 0}
        counts |= {PROXY_COUNT: proxies, NODE_COUNT: 2 * proxies - 1}
        addresses = {BODIES: bodies[-1].this, JOINTS: joints[-1].this, ALLOCATOR: world.this}
        if not (
            struct.calcsize("P") == 8
            and all(self._read("i", place) == count for place, count in counts.items())
            and all(self._read("Q", place) == int(address) for place, address in addresses.items())
            and struct.unpack_from("ff", self.fields, GRAVITY) == tuple(world.gravity)
        ):
            raise LayoutError("a world is not as in Box2D 2.3 with pointers of 64 bits")

    def _blocks(self, items: Any) -> memoryview:
        """The memory from the first to the last of some bodies or joints, which lie in one chunk."""
        addresses = [int(item.this) for item in items]
        first, last = min(addresses), max(addresses)
        for size, chunk in self._chunks():
            if chunk <= first and last < chunk + CHUNK_SIZE:
                return _view(first, last + size - first)
        raise LayoutError("bodies or joints lie outside of the chunks of their world")

    def _chunks(self) -> list[tuple[int, int]]:
        """The size of a block, and the address, of each chunk."""
        entries = _view(self._read("Q", CHUNKS), CHUNK_ENTRY * self._read("i", CHUNK_COUNT))
        return [(size, address) for size, address in struct.iter_unpack("i4xQ", entries)]

    def _read(self, kind: str, place: int) -> int:
        return int(struct.unpack_from(kind, self.fields, place)[0])


class Contacts:
    """The chunk that the first contact makes, with room for more contacts than three bodies can have.

    Args:
        size: of a block.
        address: of the chunk.
        free: the address of the first free block of each size.
    """

    def __init__(self, size: int, address: int, free: memoryview) -> None:
        self.size = size
        self.memory = _view(address, CHUNK_SIZE)
        count = CHUNK_SIZE // size
        self.links = np.frombuffer(self.memory, np.uint64, count * size // 8).reshape(count, -1)[:, 0]
        self.untouched = address + size * np.arange(1, count + 1, dtype=np.uint64)  # each free block links to the next
        self.untouched[-1] = 0
        heads = np.frombuffer(free, np.uint64).copy()
        heads[(heads >= address) & (heads < address + CHUNK_SIZE)] = address
        self.free = heads.tobytes()

    def save(self) -> bytes:
        """Copy the blocks up to the last one that is not as at first."""
        used = int(np.flatnonzero(self.links != self.untouched)[-1]) + 1
        return bytes(self.memory[: self.size * used])

    def restore(self, saved: bytes) -> None:
        """Write the blocks back; those behind them are free."""
        used = len(saved) // self.size
        self.memory[: len(saved)] = saved
        self.links[used:] = self.untouched[used:]


def _view(address: int, size: int) -> memoryview:
    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")
