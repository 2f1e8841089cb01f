import Portico

@testable import PorticoShell

/// A file of tokens, or a design: read or refused, and what is read holds together.
enum TokenReading: FuzzTarget {
    static let name = "tokens"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let isFile = try file(bytes)
        let isDesign = try design(bytes)
        return isFile || isDesign
    }

    private static func file(_ bytes: [UInt8]) throws -> Bool {
        do {
            let read = try DesignTokens(parsing: bytes)
            for token in read.tokens {
                try hold(read[token.name] == token, "a token is not found by its name")
                try hold(token.alias.map { read[$0]?.value == token.value } ?? true, "another name has another value")
                if case .color(let color) = token.value {
                    let rgb = [color.srgb.red, color.srgb.green, color.srgb.blue]
                    try hold(rgb.allSatisfy { (0...1).contains($0) }, "a colour is out of sRGB")
                    try hold(DesignColor(hex: color.hex)?.hex == color.hex, "a colour is not the one that it writes")
                    let ratio = color.contrast(on: color, over: color).ratio
                    try hold((1...21).contains(ratio), "a ratio is beyond 1 to 21")
                }
            }
            return !read.tokens.isEmpty
        } catch let error as TokenError {
            try hold(!error.issues.isEmpty, "it is refused without a reason")
            try hold(error.issues.allSatisfy { !$0.message.isEmpty }, "a reason says nothing")
            return false
        }
    }

    private static func design(_ bytes: [UInt8]) throws -> Bool {
        do {
            let design = try DesignSystem(parsing: bytes) { _ in bytes }
            try hold(design.contrast().count == 84, "a pair is missing")
            return true
        } catch let error as TokenError {
            try hold(!error.issues.isEmpty, "a design is refused without a reason")
            return false
        }
    }
}
