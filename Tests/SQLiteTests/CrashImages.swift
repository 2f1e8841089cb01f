#if SQLite && os(Linux)
/// The files as a power cut may leave them, from a log of what was written and synced.
struct CrashImage {
    /// How much of what was not synced is found afterwards.
    enum Fate: CaseIterable {
        /// Nothing.
        case dropped
        /// Everything.
        case kept
        /// Some writes whole, some not at all, some in part, by sectors of 512 bytes.
        case torn
    }

    var files: [FaultyFiles.File: [UInt8]] = [:]
    /// The highest sequence that was acknowledged before.
    var acknowledged: Int64 = 0

    /// The images at every sync, just before and just after it, and at the end.
    static func all(of log: [FaultyFiles.Operation], _ generator: inout some RandomNumberGenerator) -> [CrashImage] {
        var images: [CrashImage] = []
        var disk = Disk()
        for operation in log {
            if case .sync = operation {
                images += Fate.allCases.map { disk.image($0, &generator) }
                disk.apply(operation)
                images.append(disk.image(.dropped, &generator))
            } else {
                disk.apply(operation)
            }
        }
        return images + Fate.allCases.map { disk.image($0, &generator) }
    }

    private struct Disk {
        var synced: [FaultyFiles.File: [UInt8]] = [:]
        var pending: [FaultyFiles.File: [FaultyFiles.Operation]] = [:]
        var acknowledged: Int64 = 0

        mutating func apply(_ operation: FaultyFiles.Operation) {
            switch operation {
            case .write(let file, _, _), .truncate(let file, _): pending[file, default: []].append(operation)
            case .sync(let file):
                for operation in pending.removeValue(forKey: file) ?? [] {
                    Self.write(operation, to: &synced[file, default: []])
                }
            case .delete(let file):
                synced[file] = nil
                pending[file] = nil
            case .acknowledged(let sequence): acknowledged = max(acknowledged, sequence)
            }
        }

        func image(_ fate: Fate, _ generator: inout some RandomNumberGenerator) -> CrashImage {
            var image = CrashImage(files: synced, acknowledged: acknowledged)
            guard fate != .dropped else { return image }
            for (file, operations) in pending {
                for operation in operations {
                    let left = fate == .kept ? operation : Self.tear(operation, &generator)
                    if let left { Self.write(left, to: &image.files[file, default: []]) }
                }
            }
            return image
        }

        private static func tear(
            _ operation: FaultyFiles.Operation, _ generator: inout some RandomNumberGenerator
        ) -> FaultyFiles.Operation? {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: return nil
            case 1: return operation
            default:
                guard case .write(let file, let offset, let bytes) = operation, bytes.count > 512 else { return nil }
                // Only the sectors up to a boundary of the device.
                let sectors = Int.random(in: 1...(bytes.count / 512), using: &generator)
                let end = (offset / 512 + sectors) * 512 - offset
                return .write(file, offset: offset, bytes: Array(bytes.prefix(max(0, end))))
            }
        }

        private static func write(_ operation: FaultyFiles.Operation, to content: inout [UInt8]) {
            switch operation {
            case .write(_, let offset, let bytes):
                let end = offset + bytes.count
                if content.count < end { content += [UInt8](repeating: 0, count: end - content.count) }
                content.replaceSubrange(offset..<end, with: bytes)
            case .truncate(_, let size): if content.count > size { content.removeLast(content.count - size) }
            case .sync, .delete, .acknowledged: break
            }
        }
    }
}
#endif
