/// SHA-256 (FIPS 180-4 §6.2).
package struct SHA256 {
    private var state = initialState
    /// What has come since the last whole block, fewer than 64 bytes.
    private var pending: [UInt8] = []
    private var length: UInt64 = 0

    package init() {}

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { message in
            var state = initialState
            let blocks = message.count / 64
            compress(&state, message, blocks: blocks)
            let rest = UnsafeRawBufferPointer(rebasing: message[(blocks * 64)...])
            return digest(state, rest: rest, length: UInt64(message.count))
        }
    }

    /// Takes in more of the message.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { update($0) }
    }

    /// Takes in more of the message.
    package mutating func update(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBufferPointer { update($0) }
    }

    /// Takes in more of the message.
    package mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        length &+= UInt64(bytes.count)
        var start = 0
        if !pending.isEmpty {
            start = min(64 - pending.count, bytes.count)
            pending.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<start]))
            guard pending.count == 64 else { return }
            pending.withUnsafeBytes { Self.compress(&state, $0, blocks: 1) }
            pending.removeAll(keepingCapacity: true)
        }
        let blocks = (bytes.count - start) / 64
        Self.compress(&state, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start...]), blocks: blocks)
        start += blocks * 64
        guard start < bytes.count else { return }
        pending.reserveCapacity(64)
        pending.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }

    /// The digest of all that came, 32 bytes; afterwards this value is as new.
    package mutating func finalize() -> [UInt8] {
        defer { self = SHA256() }
        return pending.withUnsafeBytes { Self.digest(state, rest: $0, length: length) }
    }

    /// Pads the last, incomplete block of a message of `length` bytes (FIPS 180-4 §5.1.1) and gives the digest.
    private static func digest(
        _ state: SIMD8<UInt32>, rest: UnsafeRawBufferPointer, length: UInt64
    ) -> [UInt8] {
        var state = state
        let blocks = rest.count < 56 ? 1 : 2
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { padded in
            // `rest` is shorter than a block, so that it, the mark and the length fit into two.
            padded.copyMemory(from: rest)
            padded[rest.count] = 0x80
            for index in (rest.count + 1)..<(blocks * 64 - 8) { padded[index] = 0 }
            padded.storeBytes(of: (length &* 8).bigEndian, toByteOffset: blocks * 64 - 8, as: UInt64.self)
            compress(&state, UnsafeRawBufferPointer(padded), blocks: blocks)
        }
        return [UInt8](unsafeUninitializedCapacity: 32) { output, count in
            for index in 0..<8 {
                let word = state[index]
                output[4 * index] = UInt8(truncatingIfNeeded: word >> 24)
                output[4 * index + 1] = UInt8(truncatingIfNeeded: word >> 16)
                output[4 * index + 2] = UInt8(truncatingIfNeeded: word >> 8)
                output[4 * index + 3] = UInt8(truncatingIfNeeded: word)
            }
            count = 32
        }
    }
}

// MARK: The compression function

extension SHA256 {
    private static let initialState = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

    /// FIPS 180-4 §4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]

    /// Mixes `blocks` blocks of 64 bytes, of which `message` must hold at least that many.
    private static func compress(_ state: inout SIMD8<UInt32>, _ message: UnsafeRawBufferPointer, blocks: Int) {
        guard blocks > 0 else { return }
        precondition(message.count >= blocks * 64)
        constants.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                for block in 0..<blocks {
                    // The precondition keeps the block inside the message, and the schedule has 64 words, all written
                    // before they are read.
                    expand(message, at: block &* 64, into: schedule)
                    mix(&state, schedule, constants)
                }
            }
        }
    }

    @inline(__always)
    private static func expand(
        _ message: UnsafeRawBufferPointer, at offset: Int, into schedule: UnsafeMutableBufferPointer<UInt32>
    ) {
        for index in 0..<16 {
            schedule[index] = UInt32(
                bigEndian: message.loadUnaligned(fromByteOffset: offset &+ 4 &* index, as: UInt32.self))
        }
        for index in 16..<64 {
            let early = schedule[index &- 15]
            let late = schedule[index &- 2]
            let sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early &>> 3)
            let sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late &>> 10)
            schedule[index] = schedule[index &- 16] &+ sigma0 &+ schedule[index &- 7] &+ sigma1
        }
    }

    @inline(__always)
    private static func mix(
        _ state: inout SIMD8<UInt32>, _ schedule: UnsafeMutableBufferPointer<UInt32>,
        _ constants: UnsafeBufferPointer<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        var index = 0
        // Eight rounds a turn: the variables change their roles instead of their places.
        while index < 64 {
            round(a, b, c, &d, e, f, g, &h, schedule[index] &+ constants[index])
            round(h, a, b, &c, d, e, f, &g, schedule[index &+ 1] &+ constants[index &+ 1])
            round(g, h, a, &b, c, d, e, &f, schedule[index &+ 2] &+ constants[index &+ 2])
            round(f, g, h, &a, b, c, d, &e, schedule[index &+ 3] &+ constants[index &+ 3])
            round(e, f, g, &h, a, b, c, &d, schedule[index &+ 4] &+ constants[index &+ 4])
            round(d, e, f, &g, h, a, b, &c, schedule[index &+ 5] &+ constants[index &+ 5])
            round(c, d, e, &f, g, h, a, &b, schedule[index &+ 6] &+ constants[index &+ 6])
            round(b, c, d, &e, f, g, h, &a, schedule[index &+ 7] &+ constants[index &+ 7])
            index &+= 8
        }
        state = state &+ SIMD8(a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
        _ h: inout UInt32, _ word: UInt32
    ) {
        let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
        let choice = g ^ (e & (f ^ g))
        let first = h &+ sum1 &+ choice &+ word
        let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
        let majority = (a & b) | (c & (a | b))
        d = d &+ first
        h = first &+ sum0 &+ majority
    }

    @inline(__always)
    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        (value &>> count) | (value &<< (32 &- count))
    }
}
