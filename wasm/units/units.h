// Strong types for time, rate and size. No bare number with a unit crosses a function boundary in this core; a named
// constructor gives a number its unit, and a named accessor returns the bare number:
//
//   TimeDelta::Millis(5).us() == 5000      DataSize::Bytes(1250) / TimeDelta::Millis(10) == 1 Mbps
//
// The representation is a double. Time is held in microseconds, as in the ABI and in traces: integers are exact up to
// 2^53 us (285 years), and so is the 6.18 fixed-point abs-send-time of RTP (one tick is 15625/4096 us, a dyadic
// fraction). kilo is 1000.
#ifndef CCSCOPE_UNITS_UNITS_H_
#define CCSCOPE_UNITS_UNITS_H_

#include <limits>

namespace ccscope {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The common part of these types: a number and its comparisons. All comparisons are spelled out: with a defaulted <=>,
// clang 14 and GCC 12 generate up to three comparisons for one.
template <class T>
class Quantity {
  friend constexpr bool operator==(const T& a, const T& b) { return a.value_ == b.value_; }
  friend constexpr bool operator<(const T& a, const T& b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(const T& a, const T& b) { return a.value_ > b.value_; }
  friend constexpr bool operator<=(const T& a, const T& b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>=(const T& a, const T& b) { return a.value_ >= b.value_; }

 protected:
  constexpr Quantity() = default;
  explicit constexpr Quantity(double value) : value_(value) {}
  double value_ = 0;
};

class TimeDelta : public Quantity<TimeDelta> {
 public:
  constexpr TimeDelta() = default;
  static constexpr TimeDelta Micros(double us) { return TimeDelta(us); }
  static constexpr TimeDelta Millis(double ms) { return TimeDelta(ms * 1e3); }
  static constexpr TimeDelta Seconds(double s) { return TimeDelta(s * 1e6); }
  static constexpr TimeDelta Zero() { return TimeDelta(0); }
  static constexpr TimeDelta PlusInfinity() { return TimeDelta(kInfinity); }
  static constexpr TimeDelta MinusInfinity() { return TimeDelta(-kInfinity); }

  constexpr double us() const { return value_; }
  constexpr double ms() const { return value_ / 1e3; }
  constexpr double seconds() const { return value_ / 1e6; }
  constexpr bool IsFinite() const { return value_ - value_ == 0; }

  constexpr TimeDelta operator-() const { return TimeDelta(-value_); }
  constexpr TimeDelta operator+(TimeDelta o) const { return TimeDelta(value_ + o.value_); }
  constexpr TimeDelta operator-(TimeDelta o) const { return TimeDelta(value_ - o.value_); }
  constexpr TimeDelta operator*(double k) const { return TimeDelta(value_ * k); }
  constexpr TimeDelta operator/(double k) const { return TimeDelta(value_ / k); }
  constexpr double operator/(TimeDelta o) const { return value_ / o.value_; }
  constexpr TimeDelta& operator+=(TimeDelta o) { return *this = *this + o; }
  constexpr TimeDelta& operator-=(TimeDelta o) { return *this = *this - o; }

 private:
  explicit constexpr TimeDelta(double us) : Quantity(us) {}
};

// A point in time on a clock that the caller chooses; only differences between such points are meaningful.
class Timestamp : public Quantity<Timestamp> {
 public:
  constexpr Timestamp() = default;
  static constexpr Timestamp Micros(double us) { return Timestamp(us); }
  static constexpr Timestamp Millis(double ms) { return Timestamp(ms * 1e3); }
  static constexpr Timestamp Seconds(double s) { return Timestamp(s * 1e6); }
  static constexpr Timestamp PlusInfinity() { return Timestamp(kInfinity); }
  static constexpr Timestamp MinusInfinity() { return Timestamp(-kInfinity); }

  constexpr double us() const { return value_; }
  constexpr double ms() const { return value_ / 1e3; }
  constexpr double seconds() const { return value_ / 1e6; }
  constexpr bool IsFinite() const { return value_ - value_ == 0; }

  constexpr TimeDelta operator-(Timestamp o) const { return TimeDelta::Micros(value_ - o.value_); }
  constexpr Timestamp operator+(TimeDelta d) const { return Timestamp(value_ + d.us()); }
  constexpr Timestamp operator-(TimeDelta d) const { return Timestamp(value_ - d.us()); }
  constexpr Timestamp& operator+=(TimeDelta d) { return *this = *this + d; }

 private:
  explicit constexpr Timestamp(double us) : Quantity(us) {}
};

class DataSize : public Quantity<DataSize> {
 public:
  constexpr DataSize() = default;
  static constexpr DataSize Bytes(double bytes) { return DataSize(bytes); }
  static constexpr DataSize Bits(double bits) { return DataSize(bits / 8); }
  static constexpr DataSize Zero() { return DataSize(0); }
  static constexpr DataSize PlusInfinity() { return DataSize(kInfinity); }

  constexpr double bytes() const { return value_; }
  constexpr double bits() const { return value_ * 8; }
  constexpr bool IsFinite() const { return value_ - value_ == 0; }

  constexpr DataSize operator-() const { return DataSize(-value_); }
  constexpr DataSize operator+(DataSize o) const { return DataSize(value_ + o.value_); }
  constexpr DataSize operator-(DataSize o) const { return DataSize(value_ - o.value_); }
  constexpr DataSize operator*(double k) const { return DataSize(value_ * k); }
  constexpr DataSize operator/(double k) const { return DataSize(value_ / k); }
  constexpr double operator/(DataSize o) const { return value_ / o.value_; }
  constexpr DataSize& operator+=(DataSize o) { return *this = *this + o; }
  constexpr DataSize& operator-=(DataSize o) { return *this = *this - o; }

 private:
  explicit constexpr DataSize(double bytes) : Quantity(bytes) {}
};

class DataRate : public Quantity<DataRate> {
 public:
  constexpr DataRate() = default;
  static constexpr DataRate BitsPerSec(double bps) { return DataRate(bps); }
  static constexpr DataRate KilobitsPerSec(double kbps) { return DataRate(kbps * 1e3); }
  static constexpr DataRate Zero() { return DataRate(0); }
  static constexpr DataRate PlusInfinity() { return DataRate(kInfinity); }

  constexpr double bps() const { return value_; }
  constexpr double kbps() const { return value_ / 1e3; }
  constexpr bool IsFinite() const { return value_ - value_ == 0; }

  constexpr DataRate operator+(DataRate o) const { return DataRate(value_ + o.value_); }
  constexpr DataRate operator-(DataRate o) const { return DataRate(value_ - o.value_); }
  constexpr DataRate operator*(double k) const { return DataRate(value_ * k); }
  constexpr DataRate operator/(double k) const { return DataRate(value_ / k); }
  constexpr double operator/(DataRate o) const { return value_ / o.value_; }
  constexpr DataRate& operator+=(DataRate o) { return *this = *this + o; }

 private:
  explicit constexpr DataRate(double bps) : Quantity(bps) {}
};

constexpr DataRate operator/(DataSize s, TimeDelta t) {
  return DataRate::BitsPerSec(s.bits() / t.seconds());
}
constexpr TimeDelta operator/(DataSize s, DataRate r) {
  return TimeDelta::Micros(s.bits() * 1e6 / r.bps());
}
constexpr DataSize operator*(DataRate r, TimeDelta t) {
  return DataSize::Bits(r.bps() * t.seconds());
}
constexpr DataSize operator*(TimeDelta t, DataRate r) { return r * t; }

}  // namespace ccscope

#endif  // CCSCOPE_UNITS_UNITS_H_
